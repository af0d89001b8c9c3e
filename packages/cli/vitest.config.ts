import { defineProject } from 'vitest/config'
import { TAGS } from '../../test/harness/thorough-tag.ts'

// Tests that start programs take long where much else runs.
export default defineProject({
  test: {
    tags: TAGS,
    name: 'cli',
    isolate: false,
    globalSetup: ['../../test/harness/command-hosts.ts'],
    testTimeout: 60_000,
  },
})
