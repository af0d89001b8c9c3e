import { defineConfig } from 'vitest/config'
import { slowLast } from '../../test/harness/slow-last.ts'

/** The tests that mutants of `src/publish` are held against, on the embedded database alone. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    name: 'warehouse',
    include: ['publish*', 'deletes*', 'users', 'verify', 'history-property'].map((name) => `test/${name}.test.ts`),
    globalSetup: './test/support/embedded-template.ts',
    provide: { postgresUrl: null, postgresLane: 'is not for mutants' },
    env: { COLLAB_TEST_HISTORY_RUNS: '1' },
    sequence: { sequencer: slowLast('publish', 'deletes', 'verify', 'history-property') },
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
