import { notNow, TAGS } from '@collab-etl/harness/thorough-tag'
import { configDefaults, defineProject } from 'vitest/config'

export default defineProject({
  test: {
    tags: TAGS,
    name: 'faults',
    include: ['**/*.fault.ts'],
    exclude: [...configDefaults.exclude, ...notNow()],
    globalSetup: ['@collab-etl/harness/postgres-server', '@collab-etl/harness/command-hosts'],
    testTimeout: 900_000,
    hookTimeout: 180_000,
  },
})
