import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { during } from './support/during.ts'
import { Place } from './support/place.ts'
import { stderrText } from './support/stderr-text.ts'

fault(
  {
    category: 'machine',
    name: 'lock file removed during a snapshot',
    does: 'the lock file of the embedded warehouse is removed while a snapshot runs, and another snapshot starts',
    holds:
      'the second one is still locked out, and the first stops before it writes; the next run stores everything, row for row',
  },
  async (fixture) => {
    const place = await Place.open(fixture, { filled: true })
    const before = place.projects()
    place.change(1)
    const late: Ran[] = []
    const [ran] = await during(
      place,
      () => place.snapshot(),
      async () => {
        await rm(join(place.dataDir, 'warehouse.lock'))
        late.push(await place.snapshot())
      },
    )
    for (const each of late) fixture.named(each, 11)
    expect(stderrText(ran)).toMatch(/no longer locked by this process/)
    await place.expectEachAsIn(before)
    expect((await place.snapshot()).code).toBe(0)
    await place.expectWhole()
    expect(await readdir(place.dataDir)).toEqual(['warehouse'])
    return fixture.named(ran, 1)
  },
)

fault(
  {
    category: 'machine',
    name: 'damaged embedded warehouse',
    does: 'the control file of the embedded database is truncated, as by a failing disk',
    holds: 'exit 2 with one line that names the damaged directory and what to do',
  },
  async (fixture) => {
    const place = await Place.open(fixture, { filled: true })
    await truncate(join(place.dataDir, 'warehouse/global/pg_control'))
    const ran = await place.snapshot()
    expect(stderrText(ran)).toMatch(/database files are damaged .*; put back a copy of the directory, or move it away/)
    expect(stderrText(ran)).toContain(place.dataDir)
    return fixture.refused(ran)
  },
)
