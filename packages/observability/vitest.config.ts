import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'observability', isolate: false, testTimeout: 60_000 } })
