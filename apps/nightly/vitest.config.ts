import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'nightly',
    globalSetup: ['@collab-etl/harness/command-hosts', '@collab-etl/harness/warehouse-template'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
