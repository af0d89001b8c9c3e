import { slowLast } from '@collab-etl/harness/sequencers'
import { defineConfig } from 'vitest/config'

/** The tests that mutants of `src/http` and `src/walk` are held against: not those of what is built on these. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    name: 'core',
    include: ['test/*.test.ts'],
    exclude: [
      'readme',
      'reader',
      'reader-properties',
      'client-types',
      'streams-*',
      'decoder-fuzz',
      'decoder-properties',
      'walk-archived-tasks',
      'walk-events',
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
        'walk-events-range',
        'walk-pages',
        'walk-kept-pages',
      ),
    },
    // loading the sources is most of what a test takes, and each mutant is tried in a worker of its own as it is
    isolate: false,
    // what takes long on a machine that is busy is no mutant found out
    testTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
