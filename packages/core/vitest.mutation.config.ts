import { slowLast } from '@collab-etl/harness/sequencers'
import { TAGS } from '@collab-etl/harness/thorough-tag'
import { defineConfig } from 'vitest/config'

/** The tests that are run against mutants of `src/http`, `src/json` and `src/walk`, without those of the code built on them. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    tags: TAGS,
    name: 'core',
    include: ['test/*.test.ts'],
    exclude: [
      'readme',
      'reader',
      'reader-properties',
      'streams-*',
      'read-projects',
      'discovered-ids',
      'decoder-fuzz',
      'decoder-properties',
      'walk-archived-tasks',
    ].map((name) => `test/${name}.test.ts`),
    setupFiles: './test/helpers/no-shrinking.ts',
    sequence: {
      sequencer: slowLast(
        'limits',
        'writes',
        'batches',
        'connection',
        'array-decoder',
        'answers',
        'walk-events',
        'page-through',
        'checkpoint',
      ),
    },
    // loading the sources takes most of a test's time, and each mutant has a worker of its own anyway
    isolate: false,
    // a test that is slow on a busy machine has not found a mutant
    testTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
