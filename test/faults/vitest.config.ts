import { ClosingLines } from '@collab-etl/harness/closing-lines'
import { useMemoryDirectory } from '@collab-etl/harness/memory-directory'
import { slowFirst } from '@collab-etl/harness/sequencers'
import { defineConfig } from 'vitest/config'

useMemoryDirectory()

// Not part of `npm test`, because each fault takes seconds.
export default defineConfig({
  test: {
    name: 'faults',
    dir: import.meta.dirname,
    include: ['**/*.fault.ts'],
    globalSetup: ['@collab-etl/harness/postgres-server', '@collab-etl/harness/command-hosts'],
    sequence: { sequencer: slowFirst(/\/workers/, /killed-again/, /load/, /\/lock/, /containers/, /connection/) },
    testTimeout: 900_000,
    hookTimeout: 180_000,
    // Faults wait (for kills, timeouts, locks): each takes about a second of processor time, and three at once leave most of two cores idle.
    maxWorkers: 5,
    reporters: ['verbose', new ClosingLines()],
  },
})
