import type { Reporter, TestCase } from 'vitest/node'
// declares the metadata of fuzz tests
import type {} from './fuzz.ts'

/** Prints number of inputs, seed and failure of each target. */
export class FuzzLines implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    const { fuzzed } = test.meta()
    const detail = fuzzed ? `${fuzzed.inputs} inputs, ${fuzzed.endings} kinds of ending, seed ${fuzzed.seed}` : state
    process.stdout.write(`${state === 'passed' ? '✓' : '✗'} ${test.fullName} (${detail})\n`)
    for (const error of errors ?? []) process.stdout.write(`${error.stack ?? error.message}\n`)
  }
}
