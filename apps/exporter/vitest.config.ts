import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'exporter',
    isolate: false,
    globalSetup: [
      '@collab-etl/harness/postgres-server',
      '@collab-etl/harness/command-hosts',
      '@collab-etl/harness/warehouse-template',
    ],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
