import { join } from 'node:path'
import { expect } from 'vitest'
import type { Ran, RunOptions } from '../../harness/commands.ts'
import { fault } from '../frame/fault.ts'
import { expectAllWhole, expectBackupOf } from './support/backups.ts'
import { openFiles } from './support/machine.ts'
import { Place } from './support/place.ts'
import { told } from './support/told.ts'

const PAGES = { projects: 2, pages: 40, posts: 10, tasks: 4, archived: 2, events: 2 }

/** From what Node hardly starts with up to plenty. */
const LIMITS = [22, 24, 26, 30, 40, 200]

/** Runs a command with each limit; it is done with the last, and says what is wrong wherever it is not. Gives the first of these. */
async function withEachLimit(start: (options: RunOptions) => Promise<Ran>): Promise<Ran> {
  const runs: Ran[] = []
  for (const limit of LIMITS) runs.push(await start({ through: openFiles(limit) }))
  expect(runs.at(-1)?.code).toBe(0)
  const failed = runs.filter(({ code }) => code !== 0)
  for (const ran of failed) expect(told(ran)).toMatch(/too many files are open: raise the limit \(ulimit -n\)/)
  expect(failed).not.toEqual([])
  return failed[0] as Ran // or it has failed above
}

fault(
  {
    room: 'machine',
    name: 'too few open files for a backup',
    does: 'limits on open files from what Node needs up to plenty (EMFILE)',
    holds: 'each backup is whole, or is not there and says why; nothing is there in part',
  },
  async (ground) => {
    const place = await Place.open(ground, PAGES)
    const out = join(ground.path, 'backups')
    const failed = await withEachLimit((options) => place.backup(out, [], options))
    const names = await expectAllWhole(out)
    for (const name of names) await expectBackupOf(join(out, name), place.truths())
    return ground.named(failed, 1)
  },
)

fault(
  {
    room: 'machine',
    name: 'too few open files to verify',
    does: 'the same limits for `verify` of a whole backup (EMFILE)',
    holds: 'exit 0, or exit 1 with the limit named: a whole backup is never called damaged',
  },
  async (ground) => {
    const place = await Place.open(ground, PAGES)
    const out = join(ground.path, 'backups')
    expect((await place.backup(out)).code).toBe(0)
    const failed = await withEachLimit((options) => ground.run('collab-export', ['verify', out], options))
    await expectAllWhole(out)
    return ground.named(failed, 1)
  },
)

fault(
  {
    room: 'machine',
    name: 'out of memory',
    does: 'a snapshot with so small a heap that Node crashes',
    holds: 'each project is wholly as before or as now; the next run stores all, row for row',
  },
  async (ground) => {
    const place = await Place.open(ground, { filled: true })
    const before = place.projects()
    place.change(1)
    const crash = (megabytes: number) =>
      place.snapshot([], { env: { NODE_OPTIONS: `--max-old-space-size=${megabytes}` } })
    const ran = await crash(16)
    expect(ran.signal).toBe('SIGABRT')
    await place.expectEachAsIn(before, place.projects())
    expect((await place.snapshot()).code).toBe(0)
    await place.expectWhole()
    return ground.survived(ran)
  },
)

fault(
  {
    room: 'machine',
    name: 'no home',
    does: 'HOME is a directory that does not exist, and so is TMPDIR',
    holds: 'a snapshot and a backup are whole all the same',
  },
  async (ground) => {
    const place = await Place.open(ground, { filled: true })
    const env = { HOME: '/nonexistent/home', TMPDIR: '/nonexistent/tmp', XDG_CONFIG_HOME: '/nonexistent/config' }
    place.change(1)
    expect((await place.snapshot([], { env })).code).toBe(0)
    await place.expectWhole()
    const out = join(ground.path, 'backups')
    const ran = await place.backup(out, [], { env })
    const [name = ''] = await expectAllWhole(out)
    await expectBackupOf(join(out, name), place.truths())
    return ground.cured(ran)
  },
)
