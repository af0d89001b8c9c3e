import { TAGS } from '@collab-etl/harness/thorough-tag'
import { defineProject } from 'vitest/config'

export default defineProject({ test: { tags: TAGS, name: 'observability', isolate: false, testTimeout: 60_000 } })
