import { defineProject } from 'vitest/config'

// Tests that start programs take long where much else runs.
export default defineProject({
  test: {
    name: 'cli',
    isolate: false,
    globalSetup: ['../../test/harness/command-hosts.ts'],
    testTimeout: 60_000,
  },
})
