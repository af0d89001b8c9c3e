import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'documents', isolate: false, testTimeout: 120_000 } })
