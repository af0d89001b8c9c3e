import { cp, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BACKUP_NAME, readLatest } from '@collab-etl/backups'
import { verifyBag } from '@collab-etl/bagit'
import { type Ran, run, type Started } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { TEMPORARY_DIRECTORY } from '@collab-etl/harness/temporary-directory'
import { times } from '@collab-etl/harness/thorough'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backupAt } from './backup-at.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ projects: 2, tasks: 5, archived: 2, pages: 40, posts: 6, events: 2 })
})

afterAll(async () => {
  await sandbox.close()
})

const exporter = async (args: readonly string[], onStart: (command: Started) => void = () => {}): Promise<Ran> =>
  run('collab-export', args, {
    ...{ cwd: await scratch(), onStart },
    env: { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token },
  })

/** A moment in a run: so long after it has begun to do a thing. */
interface Moment {
  readonly after: 'start' | 'temporary' | 'bag'
  readonly fraction: number
}

/** How long each of these may last on a busy machine; a kill that comes too late finds a whole run, which is no harm. */
const SPANS_MS = { start: 1000, temporary: 200, bag: 80 }

const moment: fc.Arbitrary<Moment> = fc.record({
  after: fc.constantFrom('start', 'temporary', 'bag', 'bag'),
  fraction: fc.double({ min: 0, max: 1, noNaN: true }),
})

/** Runs the command and kills it at that moment. Whether it was killed before its end. */
async function killAt(directory: string, args: readonly string[], { after, fraction }: Moment): Promise<boolean> {
  let ended = false
  let command: Started | undefined
  const running = exporter(args, (started) => {
    command = started
  }).finally(() => {
    ended = true
  })
  while (command === undefined && !ended) await sleep(1)
  while (!ended && after !== 'start' && !(await hasBegun(directory, after))) await sleep(1)
  await sleep(fraction * SPANS_MS[after])
  command?.kill('SIGKILL')
  return (await running).signal === 'SIGKILL'
}

async function hasBegun(directory: string, what: 'temporary' | 'bag'): Promise<boolean> {
  for (const name of (await readdir(directory)).filter((entry) => TEMPORARY_DIRECTORY.test(entry))) {
    const inIt = await readdir(join(directory, name, what === 'bag' ? 'bag' : '')).catch(() => [])
    if (inIt.length > 0) return true
  }
  return false
}

/** Everything that bears a backup's name is whole, `latest` points to one of them, and nothing else is there but temporary directories. */
async function expectWhole(directory: string): Promise<string[]> {
  const entries = await readdir(directory)
  const names = entries.filter((entry) => BACKUP_NAME.test(entry)).sort()
  for (const name of names) {
    expect((await verifyBag(join(directory, name), { fast: false })).damage, name).toEqual([])
  }
  expect(names).toContain(await readLatest(directory))
  const others = entries.filter((entry) => !names.includes(entry) && !TEMPORARY_DIRECTORY.test(entry))
  expect(others.filter((entry) => !['latest', '.collab-export'].includes(entry))).toEqual([])
  return names
}

describe('killed at any moment', () => {
  test('a backup leaves those before it whole, and latest on one of them; the next run tidies up', {
    tags: 'thorough',
  }, async () => {
    await Promise.all(
      ['hard', 'none'].slice(0, times(1, 2)).map(async (link) => {
        const directory = join(await scratch(), link)
        const args = ['backup', '--out', directory, '--from', 'api', '--link', link]
        expect((await exporter(args)).code).toBe(0)
        let killed = 0
        await fc.assert(
          fc.asyncProperty(moment, async (when) => {
            if (await killAt(directory, args, when)) killed += 1
            await expectWhole(directory)
          }),
          // One that cannot come too late.
          { numRuns: times(1, 6), endOnFailure: true, examples: [[{ after: 'temporary', fraction: 0 }]] },
        )
        expect((await exporter(args)).code).toBe(0)
        await expectWhole(directory)
        expect((await readdir(directory)).filter((entry) => TEMPORARY_DIRECTORY.test(entry))).toEqual([])
        expect(killed).toBeGreaterThan(0)
      }),
    )
  })

  test('prune leaves no partial backup under its name; the next run completes the removal', {
    tags: 'thorough',
  }, async () => {
    const whole = await scratch()
    const name = await backupAt(whole, '2026-01-01T00:00Z')
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (fraction) => {
        const directory = await scratch()
        for (let day = 24; day < 30; day++) {
          await cp(join(whole, name), join(directory, `202601${day}T000000Z`), { recursive: true })
        }
        await symlink('20260129T000000Z', join(directory, 'latest'))
        const args = ['prune', directory, '--keep-last', '2']
        await killAt(directory, args, { after: 'temporary', fraction: fraction / 4 })
        await expectWhole(directory)
        expect((await exporter(args)).code).toBe(0)
        expect(await expectWhole(directory)).toEqual(['20260128T000000Z', '20260129T000000Z'])
        expect((await readdir(directory)).sort()).toEqual(['20260128T000000Z', '20260129T000000Z', 'latest'])
      }),
      { numRuns: times(1, 2), endOnFailure: true },
    )
  })
})
