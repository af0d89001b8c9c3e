/** @module-tag thorough */

import { chmod, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { expectAllWhole, expectBackupOf } from './support/backups.ts'
import { boundByRights, giveAway, SmallDisk } from './support/machine.ts'
import { stderrText } from './support/stderr-text.ts'

const PAGES = { projects: 2, pages: 6, posts: 2, tasks: 4, archived: 2, events: 2 }

fault('the data directory is not writable, or belongs to another user', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  await chmod(world.dataDir, 0o500)
  const through = await boundByRights(fixture)
  world.change(1)
  const ran = await world.snapshot([], { through })
  expect(stderrText(ran)).toContain(world.dataDir)
  fixture.refused(await world.extract(['query', 'SELECT 1'], { through }))
  await chmod(world.dataDir, 0o700)
  await giveAway(world.dataDir)
  expect((await world.snapshot([], { through })).code).toBe(0)
  await world.expectWhole()
  return fixture.refused(ran)
})

fault('the backups are not writable, then not readable', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  const [name = ''] = await expectAllWhole(out)
  const through = await boundByRights(fixture)
  await chmod(out, 0o555)
  const ran = await world.backup(out, [], { through })
  expect(stderrText(ran)).toContain(out)
  await chmod(join(out, name), 0)
  const verify = await fixture.run('collab-export', ['verify', join(out, name)], { through })
  expect(verify).toMatchObject({ code: 1, stdout: '' })
  expect(stderrText(verify)).toMatch(/bagit\.txt: permission denied/)
  await chmod(join(out, name), 0o700)
  await giveAway(join(out, name))
  await chmod(join(out, name, 'data/csv/pages.csv'), 0)
  const denied = await fixture.run('collab-export', ['verify', join(out, name)], { through })
  expect(denied).toMatchObject({ code: 1, stdout: '' })
  expect(stderrText(denied)).toMatch(
    /cannot be read: data\/csv\/pages\.csv \(permission denied\): run as a user who may read it/,
  )
  const listed = await fixture.run('collab-export', ['list', out, '--json'], { through })
  expect(JSON.parse(listed.stdout).backups).toMatchObject([{ state: 'unverified' }])
  await chmod(join(out, name, 'data/csv/pages.csv'), 0o600)
  await expectAllWhole(out)
  await expectBackupOf(join(out, name), world.truths())
  return fixture.refused(ran)
})

fault('the data directory is a file, a link to itself, too long a path', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const [file, loop] = [join(fixture.path, 'file'), join(fixture.path, 'loop')]
  await writeFile(file, 'mine')
  await symlink('loop', loop)
  const long = join(fixture.path, 'x'.repeat(300))
  for (const path of [file, join(loop, 'below'), long]) {
    const snapshot = await world.snapshot([], { env: { COLLAB_DATA_DIR: path } })
    expect(stderrText(snapshot)).toContain(path)
    fixture.refused(snapshot)
    const backup = await world.backup(path)
    expect([path, backup.code, stderrText(backup)]).toEqual([path, 2, expect.stringContaining(path)])
  }
  expect(await readFile(file, 'utf8')).toBe('mine')
  return fixture.refused(await world.snapshot([], { env: { COLLAB_DATA_DIR: loop } }))
})

fault('the file system is read-only', async (fixture) => {
  const disk = await SmallDisk.mount(fixture, 'size=200m')
  const world = await World.open(fixture, { filled: true, dataDir: join(disk.path, 'data') })
  const out = join(disk.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  world.change(1)
  await disk.remount('ro')
  const ran = await world.snapshot()
  fixture.refused(await world.backup(out))
  expect((await fixture.run('collab-export', ['verify', out])).code).toBe(0)
  await disk.remount('rw')
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  expect((await world.backup(out)).code).toBe(0)
  const names = await expectAllWhole(out)
  await expectBackupOf(join(out, names[1] ?? ''), world.truths())
  return fixture.refused(ran)
})
