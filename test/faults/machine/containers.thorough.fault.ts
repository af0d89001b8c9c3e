/** @module-tag thorough */

import { cp, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran, RunOptions } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { World } from '../support/world.ts'
import { expectAllWhole, expectBackupOf, temporaryDirectoriesIn } from './support/backups.ts'
import { hoursOff } from './support/clocks.ts'
import { createdIn } from './support/created-in.ts'
import { during } from './support/during.ts'
import { inContainer } from './support/machine.ts'

const PAGES = { projects: 2, pages: 20, posts: 4, tasks: 4, archived: 2, events: 2 }
const NOTHING = { pages: 0, posts: 0, tasks: 0, archived: 0, events: 0 }

/** The clock of a host that is more than an hour ahead. */
const HOUR_AHEAD = hoursOff(61 / 60)

function expectLocked(fixture: Fixture, ran: Ran): void {
  fixture.named(ran, 11)
  expect(ran.stderr).toMatch(/process \d+ in another container on \S+ \(started /)
}

fault('two containers (PID namespaces) on one embedded warehouse', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  world.change(1)
  const through = inContainer()
  const [ran, late] = await during(
    world,
    () => world.snapshot(['--concurrency', '1'], { through }),
    async () => [
      await world.snapshot([], { through }),
      await world.snapshot(),
      await world.export(['backup', '--out', join(fixture.path, 'out')], { through }),
    ],
  )
  fixture.cured(ran)
  for (const each of late) expectLocked(fixture, each)
  await world.expectWhole()
  return fixture.named(late[0] as Ran, 11) // of a list of three
})

fault('two containers on one directory of backups', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  const [first = ''] = await expectAllWhole(out)
  await cp(join(out, first), join(out, '20260101T000000Z'), { recursive: true })
  const through = inContainer()
  const [ran, others] = await during(
    world,
    () => world.backup(out, [], { through }),
    async () => [
      await fixture.run('collab-export', ['prune', out, '--keep-last', '2'], { through }),
      await fixture.run('collab-export', ['prune', out, '--keep-last', '2'], { env: HOUR_AHEAD }),
      await world.backup(out, [], { through, env: HOUR_AHEAD }),
    ],
  )
  expect(others.map(({ code }) => code)).toEqual([0, 0, 0])
  const ended = fixture.cured(ran)
  for (const name of await expectAllWhole(out)) await expectBackupOf(join(out, name), world.truths())
  expect(await temporaryDirectoriesIn(out)).toEqual([])
  return ended
})

fault('two containers restore one backup', async (fixture) => {
  const world = await World.open(fixture, { ...PAGES, projects: 1, posts: 0 })
  const target = await fixture.startSandbox({ seed: 77, projects: 1, ...NOTHING })
  const [[from = ''], [to = '']] = [world.sandbox.pids, target.pids]
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  await symlink(out, join(fixture.path, 'other'))
  const entry = target.store.truth(to).entries[0]?.entry_id ?? ''
  const restore = (backups: string, options: RunOptions = {}) => {
    const words = ['restore', join(fixture.path, backups), '--to-project', to, '--entry', entry, '--settle', '0']
    return fixture.run('collab-export', words, { ...options, env: { COLLAB_BASE_URL: target.baseUrl } })
  }
  const through = inContainer()
  const late: Ran[] = []
  let begun = false
  const stop = target.beforeRequest(async ({ operation }) => {
    if (operation !== 'pages.create' || begun) return
    begun = true
    for (const backups of ['backups', 'other']) late.push(await restore(backups, { through }))
  })
  const ran = await restore('backups', { through })
  stop()
  expect(late).toHaveLength(2)
  for (const each of late) expectLocked(fixture, each)
  expect(createdIn(target.store.truth(to))).toEqual(createdIn(world.sandbox.store.truth(from)))
  expect((await readdir(out)).filter((name) => name.endsWith('.lock'))).toEqual([])
  return fixture.cured(ran)
})
