import { defineProject } from 'vitest/config'
import { TAGS } from '../../test/harness/thorough-tag.ts'

export default defineProject({ test: { tags: TAGS, name: 'contract', isolate: false, testTimeout: 30_000 } })
