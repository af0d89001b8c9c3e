/** @module-tag thorough */

import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { during } from './support/during.ts'
import { Place } from './support/place.ts'
import { stderrText } from './support/stderr-text.ts'

fault('the lock file is removed during a snapshot, and another one starts', async (fixture) => {
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
})

fault('the control file of the embedded database is truncated', async (fixture) => {
  const place = await Place.open(fixture, { filled: true })
  await truncate(join(place.dataDir, 'warehouse/global/pg_control'))
  const ran = await place.snapshot()
  expect(stderrText(ran)).toMatch(/database files are damaged .*; put back a copy of the directory, or move it away/)
  expect(stderrText(ran)).toContain(place.dataDir)
  return fixture.refused(ran)
})
