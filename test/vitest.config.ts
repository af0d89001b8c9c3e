import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'test',
    globalSetup: ['./harness/postgres-lane.ts', './harness/warehouse-template.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
