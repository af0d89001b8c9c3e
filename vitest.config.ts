import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ClosingLines } from '@collab-etl/harness/closing-lines'
import { useMemoryDirectory } from '@collab-etl/harness/memory-directory'
import { slowFirst } from '@collab-etl/harness/sequencers'
import { notNow, TAGS } from '@collab-etl/harness/thorough-tag'
import { configDefaults, defineConfig } from 'vitest/config'

// Many tests wait for programs that they start, or for the next try: on two cores, the one worker that Vitest would take leaves much of
// both idle. Each further worker loads and compiles the same code again: six take a quarter more processor time than three.
// Set in the environment, because projects do not take `maxWorkers` from here.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.max(3, availableParallelism() - 1))

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

const POSTGRES = '@collab-etl/harness/postgres-server'
const HOSTS = '@collab-etl/harness/command-hosts'

// As few projects as possible: each has workers of its own, which take a second to start and load what they share again.
export default defineConfig({
  test: {
    tags: TAGS,
    exclude: [...configDefaults.exclude, ...notNow()],
    // loading the modules and compiling the embedded database is most of a file's start, and once is enough
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'databases',
          include: ['{packages/warehouse/test,apps/*/test,test}/**/*.test.ts'],
          globalSetup: [
            POSTGRES,
            HOSTS,
            '@collab-etl/harness/warehouse-template',
            './packages/warehouse/test/support/templates.ts',
          ],
          // as the programs in bin/ set them: optimising the embedded Postgres costs more than it saves
          execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'],
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['packages/!(warehouse)/test/**/*.test.ts'],
          globalSetup: [HOSTS],
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.fault.ts'],
          globalSetup: [POSTGRES, HOSTS],
          isolate: true,
          testTimeout: 900_000,
          hookTimeout: 180_000,
        },
      },
    ],
    sequence: { sequencer: slowFirst(...SLOW) },
    reporters: ['default', new ClosingLines()],
  },
})
