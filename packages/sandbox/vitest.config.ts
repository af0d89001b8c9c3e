import { defineProject } from 'vitest/config'
import { TAGS } from '../../test/harness/thorough-tag.ts'

// Tests that start the command wait for whole processes, on machines that may be busy.
export default defineProject({
  test: {
    tags: TAGS,
    name: 'sandbox',
    isolate: false,
    globalSetup: ['../../test/harness/command-hosts.ts'],
    testTimeout: 30_000,
  },
})
