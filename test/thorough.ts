import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startVitest } from 'vitest/node'
import { THOROUGH_TAG } from './harness/thorough-tag.ts'

// Runs the tests that `npm test` runs only in part or not at all: with all repetitions, and on the backend that it leaves out. They have the
// tag `thorough`; the other tests of their files are not repeated. With COLLAB_TEST_SHARE=4, a quarter of the files, which the commit chooses:
// CI runs another quarter for each.

const ROOT = join(import.meta.dirname, '..')
/** In files with tests that have the tag `thorough`; collecting the others takes a while. */
const SLOW = /\bthorough\b|[bB]ackendsOfSlowTests|InTurn\(|\bfuzz\(/

process.env['COLLAB_TEST_THOROUGH'] = 'true'
// More repetitions at once than cores would reach their time limits.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.max(2, availableParallelism() - 1))
const files = globSync(
  [
    '{packages/*/test,apps/*/test,test/{bench,deploy,docs,e2e,help,install,upgrade}}/**/*.test.ts',
    'test/faults/**/*.fault.ts',
  ],
  { cwd: ROOT },
)
const share = Number(process.env['COLLAB_TEST_SHARE'] ?? 1)
const commit = share === 1 ? '' : execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' })
const isChosen = (file: string) => Number.parseInt(hash('md5', commit + file).slice(0, 8), 16) % share === 0
const thorough = files.filter((file) => SLOW.test(readFileSync(join(ROOT, file), 'utf8')) && isChosen(file))
// All repetitions take longer than the time limits of `npm test` allow, above all beside the faults.
const vitest = await startVitest('test', thorough, {
  root: ROOT,
  watch: false,
  testTimeout: 900_000,
  tagsFilter: [THOROUGH_TAG],
})
await vitest.close()
