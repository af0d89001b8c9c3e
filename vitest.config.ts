import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ClosingLines } from './test/harness/closing-lines.ts'
import { SlowFirst } from './test/harness/slow-first.ts'

// Most tests wait for programs that they start: on two cores, the one worker that Vitest would take leaves much of both idle. By the
// environment, as projects do not take `maxWorkers` from here.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.max(2, availableParallelism() - 1))

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'test'],
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new ClosingLines()],
  },
})
