import { TAGS } from '@collab-etl/harness/thorough-tag'
import { defineProject } from 'vitest/config'

export default defineProject({ test: { tags: TAGS, name: 'documents', isolate: false, testTimeout: 120_000 } })
