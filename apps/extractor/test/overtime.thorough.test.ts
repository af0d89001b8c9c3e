/** @module-tag thorough */

import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '@collab-etl/harness/commands'
import { startLocalPostgres } from '@collab-etl/harness/local-postgres'
import { postgresServer } from '@collab-etl/harness/postgres'
import { findBinaries } from '@collab-etl/harness/postgres-binaries'
import { describe, expect, onTestFinished, test } from 'vitest'
import { onPostgres, onServerAt, openWorld, plainLines, type World } from './world.ts'

/** How many seconds a run has, long enough to request pages, and within how many more it must end. */
const RUNS = [
  ['one process', 8, []],
  ['a coordinator with workers', 25, ['--workers', '2']],
] as const
const MOST_MORE = 60

/** Somebody else locks a table once pages are requested. @returns unlocks it */
function lockAtPages(at: World, table: string): () => Promise<unknown> {
  const isHeld = `SELECT FROM pg_locks WHERE relation = 'collab.${table}'::regclass AND mode = 'AccessExclusiveLock' AND granted`
  let holding: Promise<void> | undefined
  const stop = at.sandbox.beforeRequest(async ({ operation }) => {
    if (operation !== 'pages.list') return
    stop()
    const hold = `SET application_name = 'psql'; BEGIN; LOCK TABLE collab.${table}; SELECT pg_sleep(600); COMMIT`
    holding = at.script(hold).catch(() => {}) // it is ended
    while ((await at.rows(isHeld)).length === 0) await sleep(50)
  })
  return async () => {
    await at.script(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'psql'`)
    await holding
  }
}

const statusesOf = async (at: World) => (await at.rows('SELECT status FROM collab.runs ORDER BY started_at')).flat()

describe.skipIf(postgresServer() === null)('a run whose time is over', () => {
  test.each(RUNS)('ends by itself if somebody holds a table: %s', async (_, seconds, args) => {
    await using at = await openWorld({}, onPostgres)
    const unlock = lockAtPages(at, 'pages')
    const begun = performance.now()
    const { code, stderr } = await at.extract(['snapshot', ...args, '--max-duration', `${seconds}s`])
    expect(performance.now() - begun).toBeLessThan((seconds + MOST_MORE) * 1000)
    expect(code, stderr).toBe(1)
    expect(plainLines(stderr)).toEqual([
      expect.stringMatching(
        /^collab-extract: the time of the run is over, .* lock of collab.pages, held by .* \(psql\)/,
      ),
    ])
    expect(await statusesOf(at)).toEqual(['failed'])
    await unlock()
    expect((await at.extract(['snapshot', '--resume'])).code).toBe(0)
  })

  test('ends after SIGTERM, too, and says what kept it from recording that', async () => {
    await using at = await openWorld({}, onPostgres)
    const unlock = lockAtPages(at, 'runs')
    let started: Started | undefined
    const stop = at.sandbox.beforeRequest(({ operation }) => {
      if (operation !== 'events.list') return
      stop()
      started?.kill('SIGTERM')
    })
    const { code, stderr } = await at.extract(['snapshot'], { onStart: (command) => (started = command) })
    expect(code, stderr).toBe(143)
    expect(stderr).toMatch(/kept it waiting for a lock of collab.runs/)
    await unlock()
    expect((await at.extract(['snapshot'])).code).toBe(0)
    expect(await statusesOf(at)).toEqual(['interrupted', 'succeeded'])
  })
})

test.each(RUNS)('a run whose time is over ends if Postgres does not answer: %s', async (_, seconds, args) => {
  const binaries = await findBinaries()
  if (binaries === null) throw new Error('npm installed no binaries of Postgres')
  const server = await startLocalPostgres(binaries)
  onTestFinished(() => server.stop())
  await using at = await openWorld({ warehouse: false }, onServerAt(server.url))
  expect((await at.extract(['init'])).code).toBe(0)
  const [[postmaster] = []] = await at.rows(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)`)
  const signal = (name: NodeJS.Signals) => {
    const children = execFileSync('pgrep', ['--parent', String(postmaster)], { encoding: 'utf8' })
    for (const pid of [postmaster, ...children.trim().split('\n')])
      try {
        process.kill(Number(pid), name)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // a session has ended meanwhile
      }
  }
  const stop = at.sandbox.beforeRequest(async ({ operation }) => {
    if (operation !== 'pages.list') return
    stop()
    signal('SIGSTOP')
  })
  const begun = performance.now()
  const { code, stderr } = await at.extract(['snapshot', ...args, '--max-duration', `${seconds}s`])
  const took = performance.now() - begun
  signal('SIGCONT')
  expect(took).toBeLessThan((seconds + MOST_MORE) * 1000)
  expect(code, stderr).toBe(1)
  expect(plainLines(stderr)).toEqual([
    expect.stringMatching(/^collab-extract: the time of the run is over, and the database .* does not answer; look at/),
  ])
  expect((await at.extract(['snapshot'])).code).toBe(0)
  expect(await statusesOf(at)).toEqual(['interrupted', 'succeeded'])
})
