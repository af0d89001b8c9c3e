import { defineConfig } from 'vitest/config'
import { ClosingLines } from './test/harness/closing-lines.ts'
import { SlowFirst } from './test/harness/slow-first.ts'

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'test'],
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new ClosingLines()],
  },
})
