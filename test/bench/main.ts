import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchContext, Measured } from './bench.ts'
import { BENCHES } from './benches/index.ts'
import { type Options, parseOptions } from './options.ts'
import { settingsOf } from './postgres/database.ts'
import { benchServer } from './postgres/server.ts'
import { type Result, resultOf, resultsTable } from './report.ts'

// `pnpm bench`: see the README beside this.

const options = parseOptions(process.argv.slice(2), join(import.meta.dirname, 'results.json'))
const interrupted = Promise.withResolvers<never>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.reject(new Error(`interrupted by ${signal}`)))
}
await main(options)
process.exit()

async function main(options: Options): Promise<void> {
  await using cleanUp = new AsyncDisposableStack()
  const scratch = await mkdtemp(join(tmpdir(), 'collab-bench-'))
  cleanUp.defer(() => rm(scratch, { recursive: true, force: true }))
  const server = cleanUp.use(await benchServer())
  const profile = options.profile ? await mkdtemp(join(tmpdir(), 'collab-bench-profiles-')) : undefined
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const names = BENCHES.flatMap(({ figures }) => figures.map(({ name }) => name))
  const unknown = options.only.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`no bench is named ${unknown.join(', ')}: they are ${names.join(', ')}`)
  const wanted = new Set(options.only.length > 0 ? options.only : names)
  const context: BenchContext = { sizes: options.sizes, server, scratch, runs: options.runs, wanted, profile, say }
  const results = await Promise.race([measureAll(context), interrupted.promise])
  const document = {
    at: new Date().toISOString(),
    machine: { processor: cpus()[0]?.model, cores: availableParallelism(), node: process.version },
    postgres: { kind: server.kind, settings: await settingsOf(server.url) },
    sizes: options.sizes,
    results,
  }
  await writeFile(options.json, `${JSON.stringify(document, null, 2)}\n`)
  process.stdout.write(`${resultsTable(results)}\n`)
  say(`Details of each run: ${options.json}`)
  if (profile !== undefined) say(`Profiles (which slow down what they measure): ${profile}`)
}

async function measureAll(context: BenchContext): Promise<Result[]> {
  const results: Result[] = []
  for (const { figures, measure } of BENCHES) {
    const chosen = figures.filter(({ name }) => context.wanted.has(name))
    if (chosen.length === 0) continue
    const measured: Measured[] = []
    for await (const one of measure(context)) measured.push(one)
    for (const figure of chosen) {
      results.push(
        resultOf(
          figure,
          measured.filter((one) => one.figure === figure.name),
        ),
      )
    }
  }
  return results
}
