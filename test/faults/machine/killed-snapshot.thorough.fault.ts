/** @module-tag thorough */

import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { byChance } from './support/chance.ts'
import { Place } from './support/place.ts'
import { killedOne, type Moment, onceThere, onRequest, signalled } from './support/signals.ts'

fault('a first snapshot killed while the embedded warehouse is created and filled', (fixture) =>
  byChance(async (random) => {
    const place = await Place.open(fixture)
    const database = join(place.dataDir, 'warehouse')
    const moments = [
      onceThere(join(`${database}.new`, 'PG_VERSION'), random() * 100),
      onceThere(database, random() * 300),
      onRequest(1, random() * 100),
      // the last project is requested while others are stored
      onRequest(40 + Math.floor(random() * 30), random() * 30),
    ]
    const kills: Ran[] = []
    for (const moment of moments) {
      kills.push(await killedAt(place, moment))
      await place.expectEachAsIn(place.projects())
    }
    expect((await place.snapshot()).code).toBe(0)
    await place.expectWhole()
    return fixture.survived(killedOne(kills))
  }),
)

fault('a second snapshot killed at random requests, and as it ends', (fixture) =>
  byChance(async (random) => {
    const place = await Place.open(fixture, { filled: true })
    const before = place.projects()
    place.change(1)
    place.sandbox.clearRequests()
    const first = await killedAt(place, onRequest(20 + Math.floor(random() * 50)))
    expect(first.signal).toBe('SIGKILL')
    const [, nowStored = 0] = await place.expectEachAsIn(before, place.projects())
    // while it stores the last projects and closes the database
    const last = place.sandbox.requests.length
    await killedAt(place, onRequest(last - Math.floor(random() * 20), random() * 300))
    const [, nowOrMore = 0] = await place.expectEachAsIn(before, place.projects())
    expect(nowOrMore).toBeGreaterThanOrEqual(nowStored)
    expect((await place.snapshot()).code).toBe(0)
    await place.expectWhole()
    return fixture.survived(first)
  }),
)

function killedAt(place: Place, moment: Moment): Promise<Ran> {
  return signalled(place.sandbox, 'SIGKILL', moment, (options) => place.snapshot([], options))
}
