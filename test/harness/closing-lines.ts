import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { isThorough, THOROUGH_TAG } from './thorough-tag.ts'

/** Ends a run with lines for scripts: failures, whether Postgres was tested, the duration, and `N passed, N failed`. */
export class ClosingLines implements Reporter {
  #start = performance.now()

  onTestRunStart(): void {
    this.#start = performance.now()
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly { readonly message: string }[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    const failures: string[] = []
    const failed = (where: string, why?: { readonly message: string }) => {
      count.failed += 1
      failures.push(`Failed: ${where}: ${beginning(why?.message ?? '')}`)
    }
    for (const error of errors) failed('outside of any test', error)
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId)
      const [broken] = module.errors()
      if (module.state() === 'failed' && broken) failed(file, broken)
      for (const suite of module.children.allSuites()) {
        for (const error of suite.errors()) failed(`${file} > ${suite.fullName}`, error)
      }
      for (const test of module.children.allTests()) {
        const { state, errors: reasons } = test.result()
        if (state === 'failed') failed(`${file} > ${test.fullName}`, reasons[0])
        // `npm run test:thorough` leaves out what `npm test` runs in full
        else if (state === 'skipped' && isThorough() && !test.options.tags?.includes(THOROUGH_TAG)) continue
        else if (state !== 'pending') count[state] += 1
      }
    }
    if (failures.length > 0) process.stdout.write(`\n${failures.join('\n')}\n`)
    const backend = process.env['COLLAB_TEST_POSTGRES_BACKEND']
    if (backend) process.stdout.write(`\nPostgres backend: ${backend}\n`)
    const seconds = Math.round((performance.now() - this.#start) / 1000)
    process.stdout.write(`Duration: ${Math.floor(seconds / 60)} min ${seconds % 60} s\n`)
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`)
  }
}

/** In one line; that of a property has its seed in the second. */
function beginning(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 400)
}
