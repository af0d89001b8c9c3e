import { chmod, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { expectAllWhole, expectBackupOf } from './support/backups.ts'
import { boundByRights, giveAway, SmallDisk } from './support/machine.ts'
import { Place } from './support/place.ts'
import { told } from './support/told.ts'

const PAGES = { projects: 2, pages: 6, posts: 2, tasks: 4, archived: 2, events: 2 }

fault(
  {
    category: 'machine',
    name: 'data directory without rights',
    does: 'the embedded warehouse is another user’s, or lies where nothing may be written',
    holds: 'exit 2 in one line that names the directory; given to the user, the next run stores all, row for row',
  },
  async (fixture) => {
    const place = await Place.open(fixture, { filled: true })
    await chmod(place.dataDir, 0o500)
    const through = await boundByRights(fixture)
    place.change(1)
    const ran = await place.snapshot([], { through })
    expect(told(ran)).toContain(place.dataDir)
    fixture.refused(await fixture.run('collab-extract', ['query', 'SELECT 1'], { env: place.env, through }))
    await chmod(place.dataDir, 0o700)
    await giveAway(place.dataDir)
    expect((await place.snapshot([], { through })).code).toBe(0)
    await place.expectWhole()
    return fixture.refused(ran)
  },
)

fault(
  {
    category: 'machine',
    name: 'backups without rights',
    does: 'the directory of backups may be read, but not written to; then a backup may not be read',
    holds: 'exit 2 of both backup and verify, which does not call it damaged; it is whole when it may be read again',
  },
  async (fixture) => {
    const place = await Place.open(fixture, PAGES)
    const out = join(fixture.path, 'backups')
    expect((await place.backup(out)).code).toBe(0)
    const [name = ''] = await expectAllWhole(out)
    const through = await boundByRights(fixture)
    await chmod(out, 0o555)
    const ran = await place.backup(out, [], { through })
    expect(told(ran)).toContain(out)
    await chmod(join(out, name), 0)
    const verify = await fixture.run('collab-export', ['verify', join(out, name)], { through })
    fixture.refused(verify)
    await chmod(join(out, name), 0o700)
    await expectAllWhole(out)
    await expectBackupOf(join(out, name), place.truths())
    return fixture.refused(ran)
  },
)

fault(
  {
    category: 'machine',
    name: 'paths that are no directories',
    does: 'the data directory, and where backups go, is a file, a symbolic link to itself, or too long',
    holds: 'exit 2 in one line that names the path, and the file is as it was',
  },
  async (fixture) => {
    const place = await Place.open(fixture, PAGES)
    const [file, loop] = [join(fixture.path, 'file'), join(fixture.path, 'loop')]
    await writeFile(file, 'mine')
    await symlink('loop', loop)
    const long = join(fixture.path, 'x'.repeat(300))
    for (const path of [file, join(loop, 'below'), long]) {
      const snapshot = await place.snapshot([], { env: { COLLAB_DATA_DIR: path } })
      expect(told(snapshot)).toContain(path)
      fixture.refused(snapshot)
      const backup = await place.backup(path)
      expect([path, backup.code, told(backup)]).toEqual([path, 2, expect.stringContaining(path)])
    }
    expect(await readFile(file, 'utf8')).toBe('mine')
    return fixture.refused(await place.snapshot([], { env: { COLLAB_DATA_DIR: loop } }))
  },
)

fault(
  {
    category: 'machine',
    name: 'read-only file system',
    does: 'a snapshot and a backup onto a file system that was mounted read-only',
    holds: 'exit 2 in one line; verify still says that what lies there is whole; writable again, all works',
  },
  async (fixture) => {
    const disk = await SmallDisk.mount(fixture, 'size=200m')
    const place = await Place.open(fixture, { filled: true, dataDir: join(disk.path, 'data') })
    const out = join(disk.path, 'backups')
    expect((await place.backup(out)).code).toBe(0)
    place.change(1)
    await disk.remount('ro')
    const ran = await place.snapshot()
    fixture.refused(await place.backup(out))
    expect((await fixture.run('collab-export', ['verify', out])).code).toBe(0)
    await disk.remount('rw')
    expect((await place.snapshot()).code).toBe(0)
    await place.expectWhole()
    expect((await place.backup(out)).code).toBe(0)
    const names = await expectAllWhole(out)
    await expectBackupOf(join(out, names[1] ?? ''), place.truths())
    return fixture.refused(ran)
  },
)
