import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'nightly',
    globalSetup: '../../test/harness/warehouse-template.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
