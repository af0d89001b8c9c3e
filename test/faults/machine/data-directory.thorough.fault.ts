/** @module-tag thorough */

import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { during } from './support/during.ts'
import { stderrText } from './support/stderr-text.ts'

fault('the lock file is removed during a snapshot, and another one starts', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  const before = world.projects()
  world.change(1)
  const late: Ran[] = []
  const [ran] = await during(
    world,
    () => world.snapshot(),
    async () => {
      await rm(join(world.dataDir, 'warehouse.lock'))
      late.push(await world.snapshot())
    },
  )
  for (const each of late) fixture.named(each, 11)
  expect(stderrText(ran)).toMatch(/no longer locked by this process/)
  await world.expectEachAsIn(before)
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  expect(await readdir(world.dataDir)).toEqual(['warehouse'])
  return fixture.named(ran, 1)
})

fault('the control file of the embedded database is truncated', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  await truncate(join(world.dataDir, 'warehouse/global/pg_control'))
  const ran = await world.snapshot()
  expect(stderrText(ran)).toMatch(/database files are damaged .*; put back a copy of the directory, or move it away/)
  expect(stderrText(ran)).toContain(world.dataDir)
  return fixture.refused(ran)
})
