import { ClosingLines } from '@collab-etl/harness/closing-lines'
import { useMemoryDirectory } from '@collab-etl/harness/memory-directory'
import { slowFirst } from '@collab-etl/harness/sequencers'
import { defineConfig } from 'vitest/config'
import { FaultTable } from './support/fault-table.ts'

useMemoryDirectory()

// Not part of `npm test`, because each fault takes seconds.
export default defineConfig({
  test: {
    name: 'faults',
    dir: import.meta.dirname,
    include: ['**/*.fault.ts'],
    globalSetup: ['@collab-etl/harness/postgres-server', '@collab-etl/harness/command-hosts'],
    sequence: { sequencer: slowFirst(/\/workers/, /killed-again/, /load/) },
    testTimeout: 900_000,
    hookTimeout: 180_000,
    // Faults wait (for kills, timeouts, locks) more than they compute.
    maxWorkers: 3,
    reporters: [new FaultTable(), new ClosingLines()],
  },
})
