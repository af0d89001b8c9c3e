/** @module-tag thorough */

import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { expectAllWhole, expectBackupOf } from './support/backups.ts'
import { openFiles } from './support/machine.ts'
import { stderrText } from './support/stderr-text.ts'

const PAGES = { projects: 2, pages: 40, posts: 10, tasks: 4, archived: 2, events: 2 }

/** From the minimum that Node needs up to plenty. */
const LIMITS = [24, 26, 28, 32, 40, 200] as const

fault('a backup with too few open files (EMFILE)', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  const runs: Ran[] = []
  for (const limit of LIMITS) runs.push(await world.backup(out, [], { through: openFiles(limit) }))
  expect(runs.at(-1)?.code).toBe(0)
  const failed = runs.filter(({ code }) => code !== 0)
  for (const ran of failed) expect(stderrText(ran)).toMatch(/too many files are open: raise the limit \(ulimit -n\)/)
  const names = await expectAllWhole(out)
  for (const name of names) await expectBackupOf(join(out, name), world.truths())
  expect(failed).not.toEqual([])
  return fixture.named(failed[0] as Ran, 1) // there is one
})

fault('verify with the fewest open files with which Node starts', async (fixture) => {
  const world = await World.open(fixture, PAGES)
  const out = join(fixture.path, 'backups')
  expect((await world.backup(out)).code).toBe(0)
  await expectAllWhole(out)
  return fixture.cured(await fixture.run('collab-export', ['verify', out], { through: openFiles(LIMITS[0]) }))
})

fault('a heap so small that Node crashes', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  const before = world.projects()
  world.change(1)
  const crash = (megabytes: number) =>
    world.snapshot([], { env: { NODE_OPTIONS: `--max-old-space-size=${megabytes}` } })
  const ran = await crash(16)
  expect(ran.signal).toBe('SIGABRT')
  await world.expectEachAsIn(before, world.projects())
  expect((await world.snapshot()).code).toBe(0)
  await world.expectWhole()
  return fixture.survived(ran)
})

fault('HOME and TMPDIR do not exist', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  const env = { HOME: '/nonexistent/home', TMPDIR: '/nonexistent/tmp', XDG_CONFIG_HOME: '/nonexistent/config' }
  world.change(1)
  expect((await world.snapshot([], { env })).code).toBe(0)
  await world.expectWhole()
  const out = join(fixture.path, 'backups')
  const ran = await world.backup(out, [], { env })
  const [name = ''] = await expectAllWhole(out)
  await expectBackupOf(join(out, name), world.truths())
  return fixture.cured(ran)
})
