import { defineConfig } from 'vitest/config'
import { ClosingLines } from './test/harness/closing-lines.ts'

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'test'],
    reporters: ['default', new ClosingLines()],
  },
})
