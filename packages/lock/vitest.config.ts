import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'lock', isolate: false, testTimeout: 60_000 } })
