/** @module-tag thorough */

import { cp, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran, RunOptions } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { expectAllWhole, expectBackupOf, payloadOf, temporaryDirectoriesIn } from './support/backups.ts'
import { byChance } from './support/chance.ts'
import { createdIn } from './support/created-in.ts'
import { killedOne, onceGone, onRequest, signalled } from './support/signals.ts'

/** A project in which records can be created. */
const NOTHING = { tasks: 0, archived: 0, pages: 0, posts: 0, events: 0 }

const PAGES = { projects: 2, pages: 40, posts: 10, tasks: 4, archived: 2, events: 2 }

fault('a backup killed while it is read, written, and renamed', (fixture) =>
  byChance(async (random) => {
    const world = await World.open(fixture, PAGES)
    const out = join(fixture.path, 'backups')
    expect((await world.backup(out)).code).toBe(0)
    const [first = ''] = await expectAllWhole(out)
    await expectBackupOf(join(out, first), world.truths())
    const requests = world.sandbox.requests.length
    const killed = (request: number, after: number) =>
      signalled(world.sandbox, 'SIGKILL', onRequest(request, after), (options) => world.backup(out, [], options))
    // the number of requests varies with the order of answers: the last ones may not be sent
    const ran = await killed(Math.ceil(0.8 * random() * requests), 0)
    expect(ran.signal).toBe('SIGKILL')
    expect(await expectAllWhole(out)).toEqual([first])
    for (const span of [100, 300, 300]) {
      await killed(requests, random() * span)
      await expectAllWhole(out)
    }
    expect((await world.backup(out)).code).toBe(0)
    const names = await expectAllWhole(out)
    expect(await temporaryDirectoriesIn(out)).toEqual([])
    const payloads = await Promise.all(names.map((name) => payloadOf(join(out, name))))
    expect(new Set(payloads).size).toBe(1)
    return fixture.survived(ran)
  }),
)

for (const { title, signal, code } of [
  { title: 'SIGTERM during a backup', signal: 'SIGTERM', code: 143 },
  { title: 'SIGINT during a backup', signal: 'SIGINT', code: 130 },
] as const) {
  fault(title, async (fixture) => {
    const world = await World.open(fixture, PAGES)
    const out = join(fixture.path, 'backups')
    expect((await world.backup(out)).code).toBe(0)
    const before = await readdir(out)
    const ran = await signalled(world.sandbox, signal, onRequest(10), (options) => world.backup(out, [], options))
    expect(ran.code).toBe(code)
    expect(await readdir(out)).toEqual(before)
    expect((await world.backup(out)).code).toBe(0)
    const names = await expectAllWhole(out)
    expect(names).toHaveLength(2)
    await expectBackupOf(join(out, names[1] ?? ''), world.truths())
    return fixture.survived(ran)
  })
}

fault('prune killed while it removes four of six backups', (fixture) =>
  byChance(async (random) => {
    const world = await World.open(fixture, PAGES)
    const [made, out] = [join(fixture.path, 'made'), join(fixture.path, 'backups')]
    expect((await world.backup(made)).code).toBe(0)
    const [name = ''] = await expectAllWhole(made)
    const nights = [24, 25, 26, 27, 28, 29].map((day) => `202601${day}T000000Z`)
    const prune = ['prune', out, '--keep-last', '2']
    const kills: Ran[] = []
    for (const span of [0, 40, 150]) {
      await rm(out, { recursive: true, force: true })
      for (const night of nights) await cp(join(made, name), join(out, night), { recursive: true })
      await symlink('20260129T000000Z', join(out, 'latest'))
      const moment = onceGone(join(out, nights[0] ?? ''), random() * span)
      kills.push(
        await signalled(world.sandbox, 'SIGKILL', moment, (options) => fixture.run('collab-export', prune, options)),
      )
      const left = await expectAllWhole(out)
      expect(left.slice(-2)).toEqual(nights.slice(-2))
      expect((await fixture.run('collab-export', prune)).code).toBe(0)
      expect(await expectAllWhole(out)).toEqual(nights.slice(-2))
      expect(await temporaryDirectoriesIn(out)).toEqual([])
    }
    return fixture.survived(killedOne(kills))
  }),
)

fault('a restore killed before, during and after calls that create records', (fixture) =>
  byChance(async (random) => {
    const world = await World.open(fixture, { projects: 1, pages: 16, posts: 0, tasks: 12, archived: 0, events: 0 })
    const target = await fixture.startSandbox({ seed: 77, projects: 1, ...NOTHING })
    const [[from = ''], [to = '']] = [world.sandbox.pids, target.pids]
    const out = join(fixture.path, 'backups')
    expect((await world.backup(out)).code).toBe(0)
    const entry = target.store.truth(to).entries[0]?.entry_id ?? ''
    const words = ['restore', out, '--to-project', to, '--entry', entry, '--settle', '0']
    const restore = (options: RunOptions = {}) =>
      fixture.run('collab-export', words, { ...options, env: { COLLAB_BASE_URL: target.baseUrl } })
    const kills: Ran[] = []
    for (let kill = 0; kill < 5; kill++) {
      const moment = onRequest(3 + Math.floor(random() * 6), random() < 0.5 ? 0 : random() * 12)
      kills.push(await signalled(target, 'SIGKILL', moment, restore))
    }
    const last = await restore()
    expect(last.code, last.stdout).toBe(0)
    expect(createdIn(target.store.truth(to))).toEqual(createdIn(world.sandbox.store.truth(from)))
    return fixture.survived(killedOne(kills))
  }),
)
