import { configDefaults, defineProject } from 'vitest/config'

/** Run by `npm run test:thorough` alone. */
const THOROUGH = process.env['COLLAB_TEST_THOROUGH'] === 'true' ? [] : ['**/*.thorough.test.ts']

export default defineProject({
  test: {
    name: 'test',
    isolate: false,
    exclude: [...configDefaults.exclude, ...THOROUGH],
    globalSetup: [
      '@collab-etl/harness/postgres-server',
      '@collab-etl/harness/command-hosts',
      '@collab-etl/harness/warehouse-template',
    ],
    // as the programs in bin/ set them: optimising the embedded Postgres costs more than it saves
    execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
