import type { Bench, BenchContext, Measured } from './bench.ts'
import { type Result, resultOf } from './report.ts'

/** Runs benches one after the other; yields the requested figures of each. */
export async function* measureAll(benches: readonly Bench[], context: BenchContext): AsyncGenerator<Result[]> {
  for (const bench of benches) {
    const measured: Measured[] = []
    for await (const one of bench.measure(context)) {
      measured.push(one)
      // Kept if a long run is interrupted.
      if (context.wanted.has(one.figure))
        context.say(`  ${one.figure} ${one.value.toFixed(2)} ${JSON.stringify(rounded(one.parts))}`)
    }
    yield bench.figures
      .filter(({ name }) => context.wanted.has(name))
      .map((figure) =>
        resultOf(
          figure,
          measured.filter((one) => one.figure === figure.name),
        ),
      )
      // Without the program that it compares with.
      .filter(({ runs }) => runs.length > 0)
  }
}

function rounded(parts: Measured['parts']): Record<string, number> {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, Math.round(value)]))
}
