/** @module-tag thorough */

import { cp, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { expectAllWhole, expectBackupOf, temporaryDirectoriesIn } from './support/backups.ts'
import { during } from './support/during.ts'

const PAGES = { projects: 2, pages: 20, posts: 4, tasks: 4, archived: 2, events: 2 }

fault('snapshot, backup and query while a snapshot runs in the embedded warehouse', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  world.change(1)
  const out = join(fixture.path, 'backups')
  const [ran, [second, backup, query]] = await during(
    world,
    () => world.snapshot(['--concurrency', '1']),
    async () => [
      await world.extract(['snapshot']),
      await world.export(['backup', '--out', out]),
      await world.extract(['query', 'SELECT 1']),
    ],
  )
  fixture.cured(ran)
  await world.expectWhole()
  for (const late of [backup, query]) expect(late?.code).toBe(11)
  expect(await readdir(fixture.path)).not.toContain('backups')
  return fixture.named(second as Ran, 11) // of a list of three
})

fault('two backups into one directory at once', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  const [ran, second] = await during(
    world,
    () => world.backup(out),
    () => world.backup(out),
  )
  expect(second.code).toBe(0)
  const names = await expectAllWhole(out)
  expect(names).toHaveLength(2)
  for (const name of names) await expectBackupOf(join(out, name), world.truths())
  expect(await temporaryDirectoriesIn(out)).toEqual([])
  return fixture.cured(ran)
})

fault('prune and verify during a backup that links to the latest', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  const [first = ''] = await expectAllWhole(out)
  for (const night of ['20260101T000000Z', '20260102T000000Z']) {
    await cp(join(out, first), join(out, night), { recursive: true })
  }
  const [ran, [prune, verify]] = await during(
    world,
    () => world.backup(out),
    async () => [
      await fixture.run('collab-export', ['prune', out, '--keep-last', '1']),
      await fixture.run('collab-export', ['verify', out]),
    ],
  )
  expect([prune?.code, verify?.code]).toEqual([0, 0])
  const names = await expectAllWhole(out)
  expect([names.length, names[0]]).toEqual([2, first])
  await expectBackupOf(join(out, names[1] ?? ''), world.truths())
  expect(await temporaryDirectoriesIn(out)).toEqual([])
  return fixture.cured(ran)
})

fault('two prunes at once', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const [made, out] = [join(fixture.path, 'made'), join(fixture.path, 'backups')]
  expect((await world.backup(made)).code).toBe(0)
  const [name = ''] = await expectAllWhole(made)
  const nights = [24, 25, 26, 27, 28, 29].map((day) => `202601${day}T000000Z`)
  for (const night of nights) await cp(join(made, name), join(out, night), { recursive: true })
  await symlink('20260129T000000Z', join(out, 'latest'))
  const prune = () => fixture.run('collab-export', ['prune', out, '--keep-last', '2'])
  const [ran, other] = await Promise.all([prune(), prune()])
  expect(other.code).toBe(0)
  expect(await expectAllWhole(out)).toEqual(nights.slice(-2))
  expect(await temporaryDirectoriesIn(out)).toEqual([])
  return fixture.cured(ran)
})
