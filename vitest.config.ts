import { defineConfig } from 'vitest/config'
import { ClosingLines } from './test/harness/closing-lines.ts'
import { SlowFirst } from './test/harness/slow-first.ts'

export default defineConfig({
  test: {
    // Half of a test's time is waiting for the programs that it starts.
    maxWorkers: 2,
    projects: ['packages/*', 'apps/*', 'test'],
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new ClosingLines()],
  },
})
