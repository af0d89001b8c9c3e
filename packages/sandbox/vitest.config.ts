import { defineProject } from 'vitest/config'

// Tests that start the command wait for whole processes, on machines that may be busy.
export default defineProject({
  test: {
    name: 'sandbox',
    isolate: false,
    globalSetup: ['../../test/harness/command-hosts.ts'],
    testTimeout: 30_000,
  },
})
