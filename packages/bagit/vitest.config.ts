import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'bagit', isolate: false, testTimeout: 60_000 } })
