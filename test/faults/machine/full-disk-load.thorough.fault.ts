/** @module-tag thorough */

import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onServer } from '@collab-etl/harness/postgres'
import { serverUser } from '@collab-etl/harness/postgres-binaries'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { localServer } from '../support/local-server.ts'
import { World } from '../support/world.ts'
import { SmallDisk } from './support/machine.ts'
import { stderrText } from './support/stderr-text.ts'

const MB = 2 ** 20

const PAGES = { projects: 2, pages: 20, posts: 4, tasks: 4, archived: 2, events: 2 }

const server = localServer()

fault('full disk while a backup is loaded into the embedded warehouse', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  fillPages(world, 300_000)
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  const disk = await SmallDisk.mount(fixture, 'size=300m')
  const env = { COLLAB_DATA_DIR: join(disk.path, 'data') }
  expect((await world.extract(['init'], { env })).code).toBe(0)
  await disk.leaveFree(40 * MB)
  const ran = await world.extract(['load', out], { env, ownProcess: true })
  expect(stderrText(ran)).toMatch(
    /^collab-extract: the disk of the embedded warehouse in \S+ is full; free some space.*$/,
  )
  await disk.empty()
  const refused = await world.extract(['runs'], { env })
  expect([refused.code, stderrText(refused)]).toEqual([2, expect.stringContaining('a load of')])
  const again = await world.extract(['load', out, '--json'], { env })
  expect(again.code).toBe(0)
  expect(JSON.parse(again.stdout)).toMatchObject({ earlier: [], compared: expect.arrayContaining(['pages', 'posts']) })
  expect((await world.extract(['runs'], { env })).code).toBe(0)
  return fixture.named(ran, 1)
})

fault('full disk while an archive is unpacked to be loaded', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  fillPages(world, 10_000)
  const out = join(fixture.path, 'backups')
  const archive = join(fixture.path, 'backup.tar.zst')
  expect((await world.backup(out)).code).toBe(0)
  expect((await world.export(['archive', out, '--as', 'tar.zst', '--out', archive])).code).toBe(0)
  const disk = await SmallDisk.mount(fixture, 'size=100m,nr_inodes=20')
  const load = () => world.extract(['load', archive], { env: { TMPDIR: disk.path } })
  const unpacking = await load()
  await disk.leaveFree(0)
  const before = await load()
  await disk.leaveFree(16 * MB)
  const large = await load()
  for (const ran of [unpacking, before, large]) {
    expect(stderrText(ran)).toMatch(
      /^collab-extract: .*backup\.tar\.zst .*: set TMPDIR to a directory with more space$/,
    )
    fixture.refused(ran)
  }
  await disk.empty()
  // nothing decrypted stays, and nothing was begun
  const unpacked = (await readdir(disk.path)).filter((name) => name.startsWith('collab-unpacked'))
  for (const name of unpacked) expect(await readdir(join(disk.path, name))).toEqual([])
  await disk.remount('nr_inodes=5000')
  const loaded = await load()
  expect([loaded.code, stderrText(loaded)]).toEqual([0, ''])
  return fixture.refused(unpacking)
})

fault('full disk of the server that a warehouse is moved to', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  fillPages(world, 300_000)
  expect((await world.snapshot()).code).toBe(0)
  const disk = await diskOfServer()
  fixture.defer(() => disk[Symbol.asyncDispose]())
  await onServer(server().url, `CREATE TABLESPACE small LOCATION '${disk.space}'`)
  await onServer(server().url, 'CREATE DATABASE small TABLESPACE small')
  const url = Object.assign(new URL(server().url), { pathname: '/small' }).href
  const move = () => world.extract(['move', '--to', url])
  const free = await disk.small.free()
  await disk.small.leaveFree(Math.min(free, 6 * MB))
  const ran = await move()
  expect(stderrText(ran)).toMatch(/No space left on device/)
  expect(stderrText(ran)).not.toContain('\n')
  // the old warehouse stays in use
  expect(await world.query('SELECT unfinished, moved_to FROM collab.schema_version')).toEqual([[null, null]])
  await disk.small.empty()
  const moved = await move()
  expect([moved.code, stderrText(moved)]).toEqual([0, ''])
  await onServer(server().url, 'DROP DATABASE small WITH (FORCE)')
  await onServer(server().url, 'DROP TABLESPACE small')
  return fixture.named(ran, 1)
})

/** A small disk in which the user of the server may write. */
async function diskOfServer() {
  const path = await mkdtemp('/var/tmp/collab-fault-')
  await chmod(path, 0o755)
  const undo = new AsyncDisposableStack()
  const small = await SmallDisk.mount({ path, defer: (work) => undo.defer(work) }, 'size=200m')
  const space = join(small.path, 'space')
  await mkdir(space)
  const user = serverUser()
  if (user !== null) await chown(space, user.uid, user.gid)
  return {
    small,
    space,
    async [Symbol.asyncDispose]() {
      await undo.disposeAsync()
      await rm(path, { recursive: true })
    },
  }
}

/** Gives all pages long texts that compress badly. */
function fillPages({ sandbox }: World, length: number): void {
  for (const pid of sandbox.pids) {
    sandbox.store.change(pid, ({ pages }) => {
      for (const page of pages) page.content = randomBytes((length * 3) / 4).toString('base64url')
    })
  }
}
