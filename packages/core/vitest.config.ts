import { TAGS } from '@collab-etl/harness/thorough-tag'
import { defineProject } from 'vitest/config'

// Properties and what starts programs take a while on machines that may be busy.
export default defineProject({
  test: {
    tags: TAGS,
    name: 'core',
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
