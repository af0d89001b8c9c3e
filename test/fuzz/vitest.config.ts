import { join } from 'node:path'
import { ClosingLines } from '@collab-etl/harness/closing-lines'
import { TAGS } from '@collab-etl/harness/thorough-tag'
import { defineConfig } from 'vitest/config'
import { FuzzLines } from './fuzz-lines.ts'

// Runs the fuzz tests of all packages for a time instead of a number of inputs.
process.env['FUZZ_SECONDS'] ??= '30'

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    name: 'fuzz',
    tags: TAGS,
    include: ['{apps,packages}/*/test/*-fuzz.test.ts'],
    maxWorkers: 2,
    reporters: [new FuzzLines(), new ClosingLines()],
  },
})
