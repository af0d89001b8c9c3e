import type { Reporter, TestCase } from 'vitest/node'
// what a fuzzed test leaves behind is declared there
import type {} from './fuzz.ts'

/** Tells of each target how many inputs were tried, from which seed, and what failed. */
export class FuzzLines implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    const { fuzzed } = test.meta()
    const told = fuzzed ? `${fuzzed.inputs} inputs, ${fuzzed.endings} kinds of ending, seed ${fuzzed.seed}` : state
    process.stdout.write(`${state === 'passed' ? '✓' : '✗'} ${test.fullName} (${told})\n`)
    for (const error of errors ?? []) process.stdout.write(`${error.stack ?? error.message}\n`)
  }
}
