import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startVitest } from 'vitest/node'
import { THOROUGH_TAG } from './harness/thorough-tag.ts'

// Runs the tests that `npm test` runs only in part or not at all: with all repetitions, and on the backend that it leaves out. They have the
// tag `thorough`; the other tests of their files are not repeated.

const ROOT = join(import.meta.dirname, '..')
/** In files with tests that have the tag `thorough`; collecting the others takes a while. */
const SLOW = /\bthorough\b|[bB]ackendsOfSlowTests|InTurn\(/

process.env['COLLAB_TEST_THOROUGH'] = 'true'
// More repetitions at once than cores would reach their time limits.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.max(2, availableParallelism() - 1))
const files = globSync('{packages/*/test,apps/*/test,test/{bench,deploy,docs,e2e,help,install,upgrade}}/**/*.test.ts', {
  cwd: ROOT,
})
const thorough = files.filter((file) => SLOW.test(readFileSync(join(ROOT, file), 'utf8')))
// All repetitions take longer than the time limits of `npm test` allow, above all beside the faults.
const vitest = await startVitest('test', thorough, {
  ...{ root: ROOT, watch: false, testTimeout: 900_000 },
  tagsFilter: [THOROUGH_TAG],
})
await vitest.close()
