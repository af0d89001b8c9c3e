import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'extractor',
    globalSetup: ['../../test/harness/postgres-lane.ts', '../../test/harness/warehouse-template.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
