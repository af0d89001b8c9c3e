import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'documents', testTimeout: 120_000 } })
