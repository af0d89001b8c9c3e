import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'warehouse',
    globalSetup: ['../../test/harness/postgres-lane.ts', './test/support/embedded-template.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
