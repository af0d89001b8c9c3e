/** @module-tag thorough */

import { mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { temporaryDirectoriesIn } from './support/backups.ts'
import { lackForFuse, mountFuse } from './support/machine.ts'
import { stderrText } from './support/stderr-text.ts'

const PAGES = { projects: 2, pages: 6, posts: 2, tasks: 4, archived: 2, events: 2 }

fault(
  'a file system that renames files removed while they are open (FUSE, NFS)',
  async (fixture) => {
    const world = await World.open(fixture, PAGES)
    const out = join(await mountFuse(fixture), 'backups')
    const ran = await world.backup(out)
    expect([ran.code, stderrText(ran)]).toEqual([0, ''])
    world.change(1)
    const again = await world.backup(out)
    expect([again.code, stderrText(again)]).toEqual([0, ''])
    for (const args of [
      ['archive', out, '--as', 'tar.gz'],
      ['prune', out, '--keep-last', '1'],
      ['verify', out],
    ]) {
      const done = await fixture.run('collab-export', args)
      expect([args[0], done.code]).toEqual([args[0], 0])
    }
    expect(await readdir(out)).toHaveLength(4) // a backup, its archive, `latest`, the records
    return fixture.cured(again)
  },
  lackForFuse(),
)

fault(
  'an abandoned temporary directory that cannot be removed',
  async (fixture) => {
    const world = await World.open(fixture, PAGES)
    const out = join(await mountFuse(fixture), 'backups')
    const abandoned = join(out, '.collab-export-0123456789abcdef.tmp')
    await mkdir(join(abandoned, 'bag'), { recursive: true })
    const kept = await open(join(abandoned, 'bag', 'kept'), 'w')
    try {
      for (const turn of [1, 2]) {
        world.change(turn)
        const ran = await world.backup(out)
        expect([ran.code, ran.stderr]).toEqual([
          0,
          expect.stringMatching(/0123456789abcdef\.tmp could not be removed \(E[A-Z]+: .*\); /),
        ])
      }
      expect(await temporaryDirectoriesIn(out)).toHaveLength(1)
    } finally {
      await kept.close()
    }
    const last = await world.backup(out)
    expect(await temporaryDirectoriesIn(out)).toEqual([])
    expect(last.code).toBe(0)
    return fixture.cured(last)
  },
  lackForFuse(),
)
