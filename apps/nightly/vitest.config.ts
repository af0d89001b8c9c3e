import { notNow, TAGS } from '@collab-etl/harness/thorough-tag'
import { configDefaults, defineProject } from 'vitest/config'

export default defineProject({
  test: {
    tags: TAGS,
    name: 'nightly',
    isolate: false,
    exclude: [...configDefaults.exclude, ...notNow()],
    globalSetup: [
      '@collab-etl/harness/postgres-server',
      '@collab-etl/harness/command-hosts',
      '@collab-etl/harness/warehouse-template',
    ],
    // as the programs in bin/ set them: optimising the embedded Postgres costs more than it saves
    execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
