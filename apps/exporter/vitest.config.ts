import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'exporter',
    globalSetup: '../../test/harness/postgres-lane.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
