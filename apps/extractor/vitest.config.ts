import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'extractor',
    globalSetup: './test/warehouse-template.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
