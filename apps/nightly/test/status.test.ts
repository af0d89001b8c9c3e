import { appendFile, chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ListedBackup } from '@collab-etl/backups/repository'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import type { Night, Step } from '@collab-etl/observability'
import { describe, expect, test } from 'vitest'
import { night as anyNight, step } from '../../../packages/observability/test/night-fixture.ts'
import { addNight, readNights, recordPath } from '../src/run/record.ts'
import { standingOf } from '../src/run/standing.ts'

const HOUR_MS = 3_600_000

/** A night that began so many hours ago. */
function night(hoursAgo: number, of: Partial<Night> = {}): Night {
  const time = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString()
  const steps = ['snapshot', 'backup', 'verify'].map((name) => step(name, { started_at: time }))
  return anyNight({
    started_at: time,
    finished_at: time,
    last_whole_at: time,
    steps,
    snapshot: null,
    backup: null,
    verification: null,
    ...of,
  })
}

function failed(hoursAgo: number): Night {
  const whole = night(hoursAgo)
  const steps = whole.steps.map(
    (step): Step =>
      step.name === 'snapshot' ? { ...step, status: 'failed', exit_code: 1, reason: 'the service is down' } : step,
  )
  return { ...whole, outcome: 'failed', exit_code: 1, steps, consecutive_failures: 1, failing_since: whole.started_at }
}

function endedAgo(hoursAgo: number): Partial<Night> {
  return { finished_at: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString() }
}

/** Runs `collab-nightly status` after these nights. */
async function statusAfter(nights: readonly Night[], args: readonly string[] = []) {
  await using scratch = await scratchDirectory()
  for (const one of nights) await addNight(join(scratch.path, 'b'), one)
  return await run('collab-nightly', ['status', '--out', 'b', ...args], { cwd: scratch.path })
}

/** A backup that `latest` points to. */
const LATEST: ListedBackup = {
  name: 'B38',
  begun: new Date(0),
  state: 'unverified',
  verifiedAt: null,
  problem: null,
  oxum: null,
  fresh: null,
  sharesWith: null,
  manifest: null,
  isLatest: true,
  archives: [],
}

describe('status --max-age', () => {
  test.each([
    { what: 'a whole run within it', nights: [night(25)], isStale: false },
    { what: 'a whole run before it', nights: [night(27)], isStale: true },
    { what: 'a whole run before it and a failed one within it', nights: [night(27), failed(1)], isStale: true },
    { what: 'a whole run within it and a failed one after it', nights: [night(20), failed(1)], isStale: false },
    { what: 'a run of five hours that ended within it', nights: [night(28, endedAgo(23))], isStale: false },
    { what: 'a run of five hours that ended before it', nights: [night(32, endedAgo(27))], isStale: true },
    {
      what: 'a whole run within it and a failed one dated in the future',
      nights: [night(20), failed(-700)],
      isStale: false,
    },
    {
      what: 'a whole run within it and later ones of a wrong clock',
      nights: [night(20), night(-700), night(9999)],
      isStale: false,
    },
    {
      what: 'a whole run before it and later ones of a wrong clock',
      nights: [night(27), night(-700), failed(2)],
      isStale: true,
    },
    { what: 'no night', nights: [], isStale: true },
    { what: 'a night in the future, as after the clock was set back', nights: [night(-24)], isStale: true },
    { what: 'no backup', nights: [night(1)], backups: [], isStale: true },
    { what: 'no latest backup', nights: [night(1)], backups: [{ ...LATEST, isLatest: false }], isStale: true },
    {
      what: 'a damaged backup',
      nights: [night(1)],
      backups: [{ ...LATEST, state: 'damaged' as const }],
      isStale: true,
    },
  ])('$what: stale $isStale', ({ nights, backups = [LATEST], isStale }) => {
    const { stale } = standingOf(nights, backups, { now: new Date(), maxAgeMs: 26 * HOUR_MS })
    expect(stale !== null).toBe(isStale)
  })

  test('ends with 6 and says why, also with --quiet', async () => {
    const ran = await statusAfter([night(27)], ['--max-age', '26h', '--quiet'])
    expect([ran.code, ran.stdout]).toEqual([6, expect.stringMatching(/STALE: the last whole run began \S+ and ended /)])
  })

  test('that is no length of time is a usage error', async () => {
    expect(await statusAfter([], ['--max-age', 'soon'])).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('status', () => {
  test('reports what failed in the last night, and since when', async () => {
    const { stdout, code } = await statusAfter([night(30), failed(2)])
    expect(code).toBe(0)
    expect(stdout).toMatch(/last run +\S+ \S+ UTC, 2 h 0 min ago: failed|last run .* ago: failed/)
    expect(stdout).toMatch(/failures +1 run in a row, since /)
    expect(stdout).toMatch(/snapshot +failed +the service is down/)
  })

  test('--json has the same facts', async () => {
    const document = JSON.parse((await statusAfter([night(30), failed(2)], ['--json'])).stdout)
    expect(document).toMatchObject({
      consecutive_failures: 1,
      stale: null,
      last_verified: null,
      last_run: { outcome: 'failed', exit_code: 1 },
      backups: { count: 0, damaged: [], latest_bytes: null, added_bytes: 0, growth_nights: 2 },
    })
  })

  test('counts what the last 30 nights added, and names the last verification', () => {
    const backup = {
      name: 'B',
      path: '/b/B',
      status: 'complete',
      files: 1,
      bytes: 10,
      new_bytes: 3,
      conversion_issues: 0,
    }
    const nights = Array.from({ length: 40 }, (_, index) =>
      night(40 - index, {
        backup,
        verification: { backup: `B${index}`, mode: index === 39 ? 'fast' : 'sample', damaged: 0 },
      }),
    )
    const standing = standingOf(nights, [LATEST], { now: new Date(), maxAgeMs: null })
    expect(standing.backups).toMatchObject({ added_bytes: 90, growth_nights: 30 })
    expect(standing.last_verified).toMatchObject({ backup: 'B38', mode: 'sample' })
  })

  test('a verification of before the clock was set back is the last one only if there is no other', () => {
    const of = (hoursAgo: number) => night(hoursAgo, { verification: { backup: 'B38', mode: 'full', damaged: 0 } })
    const last = (nights: readonly Night[], verifiedAt: string | null = null) =>
      standingOf(nights, [{ ...LATEST, verifiedAt }], { now: new Date(), maxAgeMs: null }).last_verified?.at
    const [ahead, right] = [of(-700), of(3)]
    expect(last([of(30), ahead, right])).toBe(right.started_at)
    expect(last([of(30), right], ahead.started_at)).toBe(right.started_at)
    expect(last([ahead])).toBe(ahead.started_at)
  })

  test('says which file and directory it looked at, and ends with 6 where it finds nothing', async () => {
    await using scratch = await scratchDirectory()
    const lost = await run('collab-nightly', ['status'], { cwd: scratch.path })
    expect(lost).toMatchObject({ code: 6, stderr: '' })
    expect(lost.stdout).toContain(`Nightly job of ${scratch.path}/collab-backup\n`)
    expect(lost.stdout).toContain(`settings        none: there is no collab.yaml in ${scratch.path}\n`)
    expect(lost.stdout).toMatch(/^STALE: .* has neither .*: give the --config FILE of the job, or the --out DIR /m)
    await writeFile(join(scratch.path, 'collab.yaml'), 'nightly: { out: b }')
    const empty = await run('collab-nightly', ['status', '--json'], { cwd: scratch.path })
    const file = join(scratch.path, 'collab.yaml')
    expect([empty.code, JSON.parse(empty.stdout)]).toEqual([
      6,
      expect.objectContaining({
        config_file: file,
        out: join(scratch.path, 'b'),
        stale: expect.stringContaining(file),
      }),
    ])
    await addNight(join(scratch.path, 'b'), night(3))
    expect(await run('collab-nightly', ['status'], { cwd: scratch.path })).toMatchObject({ code: 0 })
  })
})

test('a user without access sees whose it is, in one line', { skip: process.getuid?.() !== 0 }, async () => {
  await using scratch = await scratchDirectory()
  const b = join(scratch.path, 'b')
  await addNight(b, night(3))
  await writeFile(join(scratch.path, 'collab.yaml'), 'nightly: { out: b }', { mode: 0o600 })
  await chmod(scratch.path, 0o755)
  for (const path of [b, join(b, '.collab-nightly'), recordPath(b)]) await chown(path, 1, 1)
  const through = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
  const asOther = (...args: string[]) => run('collab-nightly', ['status', ...args], { cwd: '/', through })
  const denied = (by: string) =>
    `collab-nightly: ${recordPath(b)} cannot be read: ${by} belongs to the user daemon; run this as that user (sudo -u daemon) or as root\n`
  expect(await asOther('--out', b)).toMatchObject({ code: 1, stdout: '', stderr: denied(b) })
  await chmod(b, 0o755)
  expect(await asOther('--out', b)).toMatchObject({ code: 1, stderr: denied(join(b, '.collab-nightly')) })
  expect(await asOther('--config', join(scratch.path, 'collab.yaml'))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/ cannot be read \(EACCES: it belongs to the user root; run this as root\)\n$/),
  })
})

describe('the record of runs', () => {
  test('survives a line that was cut off by a crash', async () => {
    await using scratch = await scratchDirectory()
    await addNight(scratch.path, night(3))
    await appendFile(recordPath(scratch.path), '{"started_at":"2026-')
    await addNight(scratch.path, night(2))
    await appendFile(
      recordPath(scratch.path),
      '{"started_at":"2026-01-01","finished_at":"2026-01-01","outcome":"whole","steps":[null]}\n',
    )
    await addNight(scratch.path, night(1))
    expect(await readNights(scratch.path)).toHaveLength(3)
  })

  test('has a night that was added again once, as it was added last', async () => {
    await using scratch = await scratchDirectory()
    const [first, second] = [night(2), night(1)]
    for (const each of [first, second, { ...second, exit_code: 3 }]) await addNight(scratch.path, each)
    expect(await readNights(scratch.path)).toEqual([first, { ...second, exit_code: 3 }])
  })

  test('keeps two years', async () => {
    await using scratch = await scratchDirectory()
    const path = recordPath(scratch.path)
    await mkdir(dirname(path))
    await writeFile(path, Array.from({ length: 731 }, (_, index) => `${JSON.stringify(night(731 - index))}\n`).join(''))
    await addNight(scratch.path, night(0))
    const nights = await readNights(scratch.path)
    expect(nights).toHaveLength(731)
    expect(Date.parse(nights.at(-1)?.started_at ?? '')).toBeGreaterThan(Date.now() - HOUR_MS)
  })
})
