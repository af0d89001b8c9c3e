/** @module-tag thorough */

import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { stringify } from 'yaml'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { World } from '../support/world.ts'
import { expectAllWhole, expectBackupOf } from './support/backups.ts'
import { SmallDisk } from './support/machine.ts'
import { stderrText } from './support/stderr-text.ts'

const MB = 2 ** 20

/** Message of the embedded warehouse. */
const FULL = /the disk of the embedded warehouse in \S+ is full; free some space/
const PAGES = { projects: 2, pages: 40, posts: 10, tasks: 4, archived: 2, events: 2 }

fault('full disk before and during a backup', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const disk = await SmallDisk.mount(fixture, 'size=8m')
  const out = join(disk.path, 'backups')
  const backup = () => world.backup(out, ['--link', 'none'])
  const empty = await disk.free()
  expect((await backup()).code).toBe(0)
  const taken = empty - (await disk.free())
  const before = await readdir(out)
  await disk.leaveFree(0)
  fixture.refused(await backup())
  expect(await readdir(out)).toEqual(before)
  await disk.leaveFree(taken / 2)
  const ran = await backup()
  expect(stderrText(ran)).toMatch(/the disk is full: free some space/)
  expect(await readdir(out)).toEqual(before)
  await expectAllWhole(out)
  await disk.empty()
  expect((await backup()).code).toBe(0)
  const names = await expectAllWhole(out)
  expect(names).toHaveLength(2)
  await expectBackupOf(join(out, names[1] ?? ''), world.truths())
  return fixture.named(ran, 1)
})

fault('full disk while the embedded warehouse is created', async (fixture) => {
  const disk = await SmallDisk.mount(fixture, 'size=8m')
  const world = await World.open(fixture, { dataDir: join(disk.path, 'data') })
  // in a process, which lets go of the disk when the database cannot be created
  const ran = await world.snapshot([], { ownProcess: true })
  expect(stderrText(ran)).toMatch(FULL)
  await disk.remount('size=200m')
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  return fixture.refused(ran)
})

fault('full disk while changes are stored in the embedded warehouse', async (fixture) => {
  const disk = await SmallDisk.mount(fixture, 'size=200m')
  const world = await openedOnce(fixture, disk)
  const before = world.projects()
  for (let turn = 1; turn <= 3; turn++) world.change(turn)
  fillPages(world, 100_000)
  await disk.leaveFree(MB / 4)
  const ran = await world.snapshot()
  expect(stderrText(ran)).toMatch(FULL)
  await disk.empty()
  await world.expectEachAsIn(before, world.projects())
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  return fixture.named(ran, 1)
})

fault('full disk when the embedded warehouse is opened', async (fixture) => {
  const disk = await SmallDisk.mount(fixture, 'size=200m')
  const world = await World.open(fixture, { filled: true, dataDir: join(disk.path, 'data') })
  await disk.leaveFree(0)
  // in processes, which let go of the disk when the database cannot be opened
  const ran = await world.snapshot([], { ownProcess: true })
  await disk.leaveFree(8192)
  const second = await world.snapshot([], { ownProcess: true })
  for (const each of [ran, second]) {
    expect(stderrText(each)).toMatch(FULL)
    expect(stderrText(each)).toContain(world.dataDir)
  }
  // later the database may be open
  expect([1, 2]).toContain(second.code)
  await disk.empty()
  expect(await readdir(world.dataDir)).toEqual(['warehouse'])
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  return fixture.refused(ran)
})

fault('no inodes left, for a new warehouse and for a backup', async (fixture) => {
  const disk = await SmallDisk.mount(fixture, 'size=200m,nr_inodes=60')
  const world = await World.open(fixture, { ...PAGES, dataDir: join(disk.path, 'data') })
  const out = join(disk.path, 'backups')
  const ran = await world.backup(out)
  expect(stderrText(ran)).toMatch(/the disk is full: free some space/)
  expect(await readdir(disk.path)).toEqual([])
  const refused = await world.snapshot()
  await disk.remount('nr_inodes=5000')
  expect((await world.backup(out)).code).toBe(0)
  const [name = ''] = await expectAllWhole(out)
  await expectBackupOf(join(out, name), world.truths())
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  fixture.refused(refused)
  return fixture.named(ran, 1)
})

fault('less space than the write-ahead log of the embedded database needs', async (fixture) => {
  const disk = await SmallDisk.mount(fixture, 'size=200m')
  const world = await openedOnce(fixture, disk)
  const before = world.projects()
  for (let turn = 1; turn <= 3; turn++) world.change(turn)
  fillPages(world, 100_000)
  await disk.leaveFree(11 * MB)
  const ran = await world.snapshot()
  expect(stderrText(ran)).toMatch(FULL)
  await disk.empty()
  await world.expectEachAsIn(before, world.projects())
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  return fixture.named(ran, 1)
})

fault('the disk of the backups is full for two nights', async (fixture) => {
  const disk = await SmallDisk.mount(fixture, 'size=16m')
  const { baseUrl } = await fixture.startSandbox({
    seed: 3,
    projects: 1,
    tasks: 10,
    archived: 5,
    pages: 5,
    posts: 3,
    events: 3,
  })
  const out = join(disk.path, 'backups')
  const file = { base_url: baseUrl, data_dir: join(fixture.path, 'data'), nightly: { out } }
  await writeFile(join(fixture.path, 'collab.yaml'), stringify(file))
  const night = (...args: string[]) => fixture.run('collab-nightly', args)
  expect((await night('--quiet')).code).toBe(0)
  await disk.leaveFree(0)
  const ran = await night('--json')
  expect(JSON.parse(ran.stdout).error.message).toMatch(/^backup failed .*the disk is full: free some space/)
  await disk.leaveFree(0)
  expect((await night('--quiet')).code).toBe(1)
  const failed = JSON.parse((await night('status', '--json')).stdout)
  expect([failed.last_run.outcome, failed.consecutive_failures]).toEqual(['failed', 2])
  await disk.empty()
  expect((await night('--quiet')).code).toBe(0)
  const cured = JSON.parse((await night('status', '--json')).stdout)
  expect([cured.last_run.outcome, cured.consecutive_failures, cured.backups.count]).toEqual(['whole', 0, 2])
  return fixture.named(ran, 1)
})

/** A warehouse whose log is in the first half of its file: opening it begins no other file, so the disk is full later. */
async function openedOnce(fixture: Fixture, disk: SmallDisk): Promise<World> {
  const world = await World.open(fixture, { filled: true, dataDir: join(disk.path, 'data') })
  const half = "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn) % 16777216 < 8388608"
  do expect((await world.snapshot(['--full'])).code).toBe(0)
  while ((await world.query(half))[0]?.[0] !== true)
  return world
}

/** Gives all pages long texts that compress badly. */
function fillPages({ sandbox }: World, length: number): void {
  for (const pid of sandbox.pids) {
    sandbox.store.change(pid, ({ pages }) => {
      for (const page of pages) page.content = randomBytes((length * 3) / 4).toString('base64url')
    })
  }
}
