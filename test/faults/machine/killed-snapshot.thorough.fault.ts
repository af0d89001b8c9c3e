/** @module-tag thorough */

import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { byChance } from './support/chance.ts'
import { killedOne, type Moment, onceThere, onRequest, signalled } from './support/signals.ts'

fault('a first snapshot killed while the embedded warehouse is created and filled', (fixture) =>
  byChance(async (random) => {
    const world = await World.open(fixture)
    const database = join(world.dataDir, 'warehouse')
    const moments = [
      onceThere(join(`${database}.new`, 'PG_VERSION'), random() * 100),
      onceThere(database, random() * 300),
      onRequest(1, random() * 100),
      // the last project is requested while others are stored
      onRequest(40 + Math.floor(random() * 30), random() * 30),
    ]
    const kills: Ran[] = []
    for (const moment of moments) {
      kills.push(await killedAt(world, moment))
      await world.expectEachAsIn(world.projects())
    }
    expect((await world.snapshot()).code).toBe(0)
    await world.expectWhole()
    return fixture.survived(killedOne(kills))
  }),
)

fault('a second snapshot killed at random requests, and as it ends', (fixture) =>
  byChance(async (random) => {
    const world = await World.open(fixture, { filled: true })
    const before = world.projects()
    world.change(1)
    world.sandbox.clearRequests()
    const first = await killedAt(world, onRequest(20 + Math.floor(random() * 50)))
    expect(first.signal).toBe('SIGKILL')
    const [, nowStored = 0] = await world.expectEachAsIn(before, world.projects())
    // while it stores the last projects and closes the database
    const last = world.sandbox.requests.length
    await killedAt(world, onRequest(last - Math.floor(random() * 20), random() * 300))
    const [, nowOrMore = 0] = await world.expectEachAsIn(before, world.projects())
    expect(nowOrMore).toBeGreaterThanOrEqual(nowStored)
    expect((await world.snapshot()).code).toBe(0)
    await world.expectWhole()
    return fixture.survived(first)
  }),
)

function killedAt(world: World, moment: Moment): Promise<Ran> {
  return signalled(world.sandbox, 'SIGKILL', moment, (options) => world.snapshot([], options))
}
