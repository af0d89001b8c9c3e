import { slowLast } from '@collab-etl/harness/sequencers'
import { TAGS } from '@collab-etl/harness/thorough-tag'
import { defineConfig } from 'vitest/config'

/** Where there is a server, a mutant takes seconds; on the embedded database it takes a quarter of a minute. */
const server = process.env['TEST_DATABASE_URL']

/** The tests that mutants of `src/publish` are held against, on one database alone. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    tags: TAGS,
    name: 'warehouse',
    include: ['publish*', 'deletes', 'deletion-guard', 'users', 'compare', 'history-property'].map(
      (name) => `test/${name}.test.ts`,
    ),
    ...(server === undefined && { globalSetup: './test/support/templates.ts' }),
    provide: { postgresUrl: server ?? null, postgresBackend: 'is that of TEST_DATABASE_URL, if any' },
    env:
      server === undefined
        ? { COLLAB_TEST_HISTORY_RUNS: '1' }
        : { COLLAB_TEST_HISTORY_RUNS: '3', COLLAB_TEST_BACKEND: 'postgres' },
    sequence: { sequencer: slowLast('publish', 'deletes', 'compare', 'history-property') },
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
