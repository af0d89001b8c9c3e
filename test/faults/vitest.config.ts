import { defineConfig } from 'vitest/config'
import { ClosingLines } from '../harness/closing-lines.ts'
import { slowFirst } from '../harness/slow-first.ts'
import { FaultTable } from './support/fault-table.ts'

// Apart from `npm test`: a fault takes seconds, as it lets commands run against servers that fail them.
export default defineConfig({
  test: {
    name: 'faults',
    dir: import.meta.dirname,
    include: ['**/*.fault.ts'],
    globalSetup: `${import.meta.dirname}/../harness/postgres-lane.ts`,
    sequence: { sequencer: slowFirst(/killed-again/, /load/) },
    testTimeout: 900_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    reporters: [new FaultTable(), new ClosingLines()],
  },
})
