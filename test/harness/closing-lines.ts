import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with what a script reads: whether the Postgres lane ran, and `N passed, N failed`. */
export class ClosingLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state] += 1
      }
    }
    const lane = process.env['COLLAB_TEST_POSTGRES_LANE']
    if (lane) process.stdout.write(`\nPostgres lane: ${lane}\n`)
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`)
  }
}
