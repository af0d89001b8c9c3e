/** @module-tag thorough */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cleanEnvironment } from '@collab-etl/harness/commands'
import { nextFrom } from '@collab-etl/harness/from-child'
import { expect } from 'vitest'
import { DatabaseWorld } from '../database/world.ts'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import type { Order, Report } from './support/long-process.ts'

const RUNS = 15
/** From this run on, code is compiled, and caches and pools have their final size. */
const LEVEL_FROM = 10
/** Runs after which tasks change. */
const CHANGES_EVERY = 4

/**
 * Growth after the tenth run that is no leak, in bytes: V8 records feedback for functions that run first or are compiled again. One leaked
 * string per task and run is 500 kB after five runs.
 */
const MOST_GROWTH = { heap: 256 * 1024, external: 256 * 1024, code: 1024 * 1024, handles: 0, files: 0 }

/** A process that runs the extractor again and again, and what it printed. */
async function startProcess(fixture: Fixture) {
  const child = fork(join(import.meta.dirname, 'support/long-process.ts'), {
    cwd: fixture.path,
    env: cleanEnvironment(),
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const printed = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text))
  const next = () => nextFrom(child, 'message', () => `the process ended early: ${printed.stderr.slice(-2000)}`)
  await next()
  fixture.defer(async () => {
    const gone = once(child, 'exit')
    child.disconnect()
    await gone
  })
  const run = async (order: Order): Promise<Report> => {
    child.send(order)
    const [report] = await next()
    return report as Report // as sent by `long-process.ts`
  }
  return { run, printed }
}

fault('fifteen snapshots in one process: memory, handles and files stay level', async (fixture) => {
  await using world = await DatabaseWorld.open(fixture, { tasks: 2400, archived: 120, posts: 0 })
  const { run, printed } = await startProcess(fixture)
  const env = { COLLAB_BASE_URL: world.sandbox.baseUrl, COLLAB_TOKEN: fixture.token, DATABASE_URL: world.url }
  const versions = 'SELECT count(*)::integer AS n FROM collab_history.tasks'
  const reports: Report[] = []
  let past = 0
  for (let number = 1; number <= RUNS; number++) {
    const isChanged = number % CHANGES_EVERY === 0
    if (isChanged) past += renameSome(world, number)
    const report = await run({ argv: ['snapshot', '--json'], env: { ...env, COLLAB_LOG_LEVEL: 'trace' } })
    reports.push(report)
    expect([number, report.exitCode]).toEqual([number, 0])
    await world.expectTruth()
    // each version that was replaced is kept, and an unchanged run writes none
    expect([number, await world.admin(versions)]).toEqual([number, [{ n: past }]])
    await world.untilActivity('true', false)
  }
  const documents = printed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const [index, { rows }] of documents.entries()) {
    const written = Object.values<Record<string, number>>(rows).map(({ inserted, updated, deleted }) => [
      inserted,
      updated,
      deleted,
    ])
    if (index > 0 && (index + 1) % CHANGES_EVERY !== 0)
      expect([index, written.flat().filter(Boolean)]).toEqual([index, []])
  }
  const [tenth, ...later] = reports.slice(LEVEL_FROM - 1)
  for (const name of Object.keys(MOST_GROWTH) as (keyof typeof MOST_GROWTH)[]) // the keys of an object whose type is known
    for (const report of later) expect(report[name], name).toBeLessThanOrEqual((tenth?.[name] ?? 0) + MOST_GROWTH[name])
  expect(printed.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([])
  fixture.alsoLookAt('stderr of the process', printed.stderr)
  return 'cured'
})

/** Renames one in a hundred tasks; returns how many. */
function renameSome({ sandbox }: DatabaseWorld, run: number): number {
  let renamed = 0
  for (const pid of sandbox.pids)
    sandbox.store.change(pid, ({ tasks }) => {
      for (const task of tasks.filter((_, index) => index % 100 === 0)) {
        task.name = `Task of run ${run}`
        renamed += 1
      }
    })
  return renamed
}
