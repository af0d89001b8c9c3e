import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'bagit', testTimeout: 60_000 } })
