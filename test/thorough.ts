import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startVitest } from 'vitest/node'

// Runs the tests that `npm test` runs only in part or not at all: with all repetitions, and on the backend that it leaves out.

const ROOT = join(import.meta.dirname, '..')
const SLOW = /\/harness\/thorough|[bB]ackendsOfSlowTests|(?:onBackends|onDatabases|fixture)InTurn/

process.env['COLLAB_TEST_THOROUGH'] = 'true'
// More repetitions at once than cores would reach their time limits.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.max(2, availableParallelism() - 1))
const files = globSync('{packages/*/test,apps/*/test,test/{e2e,bench}}/**/*.test.ts', { cwd: ROOT })
const thorough = files.filter(
  (file) => file.endsWith('.thorough.test.ts') || readFileSync(join(ROOT, file), 'utf8').match(SLOW),
)
// All repetitions take longer than the time limits of `npm test` allow, above all beside the faults.
const vitest = await startVitest('test', thorough, { root: ROOT, watch: false, testTimeout: 900_000 })
await vitest.close()
