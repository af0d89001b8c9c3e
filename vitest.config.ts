import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ClosingLines } from '@collab-etl/harness/closing-lines'
import { useMemoryDirectory } from '@collab-etl/harness/memory-directory'
import { slowFirst } from '@collab-etl/harness/sequencers'
import { TAGS } from '@collab-etl/harness/thorough-tag'
import { defineConfig } from 'vitest/config'

// Many tests wait for programs that they start, or for the next try: on two cores, the one worker that Vitest would take leaves much of
// both idle.
// Set in the environment, because projects do not take `maxWorkers` from here.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.max(6, availableParallelism() - 1))

// Workers, and programs that tests start from TypeScript, start in half the time if Node finds their modules compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/collab-etl-compiled')

useMemoryDirectory()

/** They start programs by the dozen; the first take minutes in `npm run test:thorough`. */
const SLOW = [
  /\/faults\/machine\/(?:workers|killed-again)/,
  /\/faults\//,
  /\/apps\/nightly\//,
  /\/test\/e2e\//,
  /\/apps\/extractor\//,
  /\/test\/docs\//,
  /\/apps\//,
]

export default defineConfig({
  test: {
    tags: TAGS,
    projects: ['packages/*', 'apps/*', 'test', 'test/faults'],
    sequence: { sequencer: slowFirst(...SLOW) },
    reporters: ['default', new ClosingLines()],
  },
})
