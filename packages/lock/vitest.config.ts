import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'lock', testTimeout: 60_000 } })
