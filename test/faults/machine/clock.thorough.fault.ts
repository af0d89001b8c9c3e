/** @module-tag thorough */

import { cp, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { expectAllWhole, expectBackupOf } from './support/backups.ts'
import { hoursOff } from './support/clocks.ts'

const DAY_MS = 86_400_000
const YEAR_HOURS = 365 * 24
const PAGES = { projects: 2, pages: 6, posts: 2, tasks: 4, archived: 2, events: 2 }

fault('the clock is set back twelve hours between snapshots', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  const namesOf = () =>
    world
      .truths()
      .flatMap(({ pages }) => pages.map(({ name }) => name))
      .sort()
  const before = namesOf()
  world.change(1)
  const [gone] = world.sandbox.pids
  world.sandbox.store.change(gone ?? '', ({ pages }) => void pages.pop())
  expect(namesOf()).not.toEqual(before)
  const ran = await world.snapshot([], { env: hoursOff(-12) })
  await world.expectWhole()
  const rows = await world.query(`
      SELECT r.started_at > lag(r.started_at) OVER (ORDER BY r.run_id), r.finished_at >= r.started_at FROM collab.runs r`)
  expect(rows).toEqual([
    [null, true],
    [true, true],
  ])
  const wrong = await world.query(`
      SELECT 'backwards' FROM collab_history.pages WHERE valid_to <= valid_from
      UNION ALL SELECT 'before it was there' FROM collab.pages WHERE deleted_at < valid_from
      UNION ALL SELECT 'overlap' FROM collab_history.pages h JOIN collab.pages p USING (pid, page_id)
        WHERE p.deleted_at IS NULL AND h.valid_to > p.valid_from`)
  expect(wrong).toEqual([])
  for (const [run, names] of [before, namesOf()].entries()) {
    const at = `(SELECT started_at FROM collab.runs ORDER BY run_id OFFSET ${run} LIMIT 1)`
    const found = await world.query(`SELECT name FROM collab.pages_as_of(${at})`)
    expect(found.flat().sort()).toEqual(names)
  }
  return fixture.cured(ran)
})

fault('one snapshot with a clock five years ahead', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  world.change(1)
  const ahead = await world.snapshot([], { env: hoursOff(5 * YEAR_HOURS) })
  expect(ahead.code).toBe(0)
  world.change(2)
  const [[before] = []] = await world.query('SELECT max(run_id) FROM collab.runs')
  const refused = await world.snapshot()
  expect(refused.stderr).toMatch(/shows 20.*dated 20.*--accept-clock/)
  expect(await world.query('SELECT max(run_id) FROM collab.runs')).toEqual([[before]])

  expect((await world.snapshot(['--accept-clock'])).code).toBe(0)
  await world.expectWhole()
  const pages = 'SELECT pid, page_id, name, content'
  const missing = await world.query(
    `${pages} FROM collab.pages WHERE deleted_at IS NULL EXCEPT ${pages} FROM collab.pages_as_of(now())`,
  )
  expect(missing).toEqual([])
  expect(await world.query('SELECT max(day) <= current_date FROM collab.task_status_daily')).toEqual([[true]])
  expect((await world.snapshot()).code).toBe(0)
  return fixture.refused(refused)
})

fault('the clock is set back a day between backups', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  const [first] = await expectAllWhole(out)
  world.change(1)
  const ran = await world.backup(out, [], { env: hoursOff(-24) })
  const [second = '', later] = await expectAllWhole(out)
  expect([later, await readlink(join(out, 'latest'))]).toEqual([first, second])
  await expectBackupOf(join(out, second), world.truths())
  return fixture.cured(ran)
})

fault('prune: one backup was made with a clock five years ahead', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out, [], { env: hoursOff(5 * YEAR_HOURS) })).code).toBe(0)
  const [ahead = ''] = await expectAllWhole(out)
  expect((await world.backup(out)).code).toBe(0)
  const [today = ''] = await expectAllWhole(out)
  const nights = [1, 2, 20, 40].map((days) => nameOf(Date.now() - days * DAY_MS)).reverse()
  for (const night of nights) await cp(join(out, today), join(out, night), { recursive: true })
  const ran = await fixture.run('collab-export', ['prune', out, '--keep-within', '30d'])
  expect(await expectAllWhole(out)).toEqual([...nights.slice(1), today, ahead])
  return fixture.cured(ran)
})

function nameOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}
