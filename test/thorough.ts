import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startVitest } from 'vitest/node'

// Runs the tests that `npm test` runs in part: with all their repetitions, and on both backends.

const ROOT = join(import.meta.dirname, '..')
const SLOW = /@collab-etl\/harness\/thorough|onBackendsOfSlowTests|on(?:Backends|Databases)InTurn/

process.env['COLLAB_TEST_THOROUGH'] = 'true'
const files = globSync('{packages/*/test,apps/*/test,test/e2e}/**/*.test.ts', { cwd: ROOT })
const thorough = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').match(SLOW))
const vitest = await startVitest('test', thorough, { root: ROOT, watch: false })
await vitest.close()
