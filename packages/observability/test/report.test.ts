import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { attemptsText, type Night } from '../src/index.ts'
import { type ReportFacts, reportPage, writeReport } from '../src/report/index.ts'
import { failedNight, night, step } from './night-fixture.ts'
import { manyChanges, manyNights } from './report-fixture.ts'

const HOSTILE = `</style><script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;\u202eevil`

function facts(of: Partial<ReportFacts> = {}): ReportFacts {
  return {
    nights: manyNights(31),
    changes: null,
    warehouseProblem: null,
    writtenAt: new Date('2026-02-03T03:00Z'),
    ...of,
  }
}

/** The text of a page without its markup, style and drawings. */
function textOf(page: string): string {
  const body = page.slice(page.indexOf('<main')).replaceAll(/<svg.*?<\/svg>/gs, ' ')
  return body
    .replaceAll(/<\/?(?:span|time|b|bdi|q|code)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', "'")
}

async function text(of: Partial<ReportFacts> = {}): Promise<string> {
  return textOf(await reportPage(facts(of)))
}

describe('the report of a night', () => {
  test('compares it with the nights before it', async () => {
    const before = [10, 20, 90].map((requests, index) => {
      const { snapshot } = night()
      const at = `2026-02-0${index + 1}T02:30:00.000Z`
      return night({
        started_at: at,
        finished_at: at,
        duration_ms: 60_000,
        snapshot: snapshot && { ...snapshot, requests },
      })
    })
    const page = await text({ nights: [...before, night({ started_at: '2026-02-04T02:30:00.000Z' })] })
    expect(page).toContain('Everything was read and backed up')
    expect(page).toContain('· read as Ada ·')
    expect(page).toContain('The last run against the 3 before')
    expect(page).toContain('Requests 120 usually 20')
    expect(page).toContain('Duration 10 min 00 s usually 1 min 00 s')
    expect(page).toContain('Changed rows 6 usually 6')
    expect(page).toContain('1 added 2 changed 3 deleted')
    expect(page).toContain('Size of the backup 5.0 kB')
    expect(page).toContain('New on disk 100 B')
    expect(page).toContain('Incomplete scopes 1 usually 1')
    expect(page).toContain('Conversion issues 4 usually 4')
    expect(page).toMatch(/tasks 1 2 3 6/)
    expect(page).toContain('The last 4 days 4 succeeded')
  })

  test('says how large a backup is, and what is new on disk, which may be more', async () => {
    const { backup } = night()
    const first = night({ backup: backup && { ...backup, new_bytes: 5300 } })
    expect(await text({ nights: [first] })).toContain('The backup is 5.0 kB. New on disk, with its manifests: 5.3 kB.')
  })

  test('that failed has what failed and since when, and what is still safe', async () => {
    const page = await text({ nights: [night(), failedNight({ started_at: '2026-02-04T02:30:00.000Z' })] })
    expect(page).toContain('Snapshot failed')
    expect(page).toContain('2 runs in a row did not succeed, since 2026-02-02.')
    expect(page).toContain(
      'No backup was written. The last run that read and backed up everything began on 2026-02-01 02:30 UTC.',
    )
    expect(page).toContain('snapshot failed: the access token is refused')
  })

  test('that succeeded at its second attempt says so, with the reason of the first', async () => {
    const failed = {
      started_at: '2026-02-03T02:20:00.000Z',
      duration_ms: 1,
      exit_code: 1,
      reason: `no answer ${HOSTILE}`,
    }
    const steps = [step('snapshot', { failed_attempts: [failed] }), step('backup')]
    const page = await reportPage(facts({ nights: [night({ attempts: 2, steps })] }))
    expect(textOf(page)).toContain('Everything was read and backed up, in 2 attempts')
    expect(textOf(page)).toContain('snapshot: attempt 2 (attempt 1: no answer ')
    expect(page.match(/<script>/g)).toHaveLength(1)
    const again = [step('snapshot', { status: 'failed', reason: failed.reason, failed_attempts: [failed] })]
    expect(await text({ nights: [night({ outcome: 'failed', steps: again })] })).toContain(
      'attempt 2 (attempt 1: the same)',
    )
  })

  test('whose first attempt counts names the later one; an interrupted pause is no attempt', () => {
    const first = { name: 'snapshot', reason: 'pages failed', started_at: '2026-02-03T02:30:00.000Z' }
    const later = { duration_ms: 1, exit_code: 1, reason: 'no answer', started_at: '2026-02-03T02:40:00.000Z' }
    expect(attemptsText({ ...first, failed_attempts: [later] })).toBe('attempt 1 (attempt 2: no answer)')
    const earlier = { ...later, started_at: '2026-02-03T02:20:00.000Z', reason: 'no service' }
    const text = 'attempt 2 (attempt 1: no service; attempt 3: no answer)'
    expect(attemptsText({ ...first, failed_attempts: [later, earlier] })).toBe(text)
    const same = { ...earlier, reason: 'pages and files failed', is_same: true }
    expect(attemptsText({ ...first, failed_attempts: [same] })).toBe('attempt 2 (attempt 1: the same)')
    const inPause = { ...first, reason: 'interrupted, in the pause before attempt 2' }
    const only = { ...later, started_at: first.started_at }
    expect(attemptsText({ ...inPause, failed_attempts: [only] })).toBe('(attempt 1: no answer)')
  })

  test('that failed after its backup is not named as the last one that backed up everything', async () => {
    const at = '2026-02-04T02:30:00.000Z'
    const failed = { outcome: 'failed', exit_code: 1, started_at: at, last_whole_at: at } as const
    const page = await text({ nights: [night({ ...failed, consecutive_failures: 1, failing_since: at })] })
    expect(page).toContain('holds everything that was read.')
    expect(page).not.toContain('The last run that read and backed up everything')
  })

  test('a step has the first of the nights in which it did not succeed', async () => {
    const verifyFailed = (day: number) =>
      night({
        started_at: `2026-02-0${day}T02:30:00.000Z`,
        outcome: 'failed',
        exit_code: 5,
        steps: [step('snapshot'), step('backup'), step('verify', { status: 'failed', reason: '2 files are damaged' })],
        verification: { backup: 'B1', mode: 'full', damaged: 2 },
      })
    const page = await text({ nights: [night(), verifyFailed(4), verifyFailed(5)] })
    expect(page).toContain('verify failed since 2026-02-04, 2 runs in a row: 2 files are damaged')
    expect(page).toContain('Backup B1 is damaged.')
    expect(page).not.toContain('holds everything')
  })

  test('a step has only the nights before it that had the same causes', async () => {
    const { snapshot } = night()
    const partial = (day: number, ...pids: string[]) => {
      const scopes = pids.map((pid) => ({ pid, stream: 'tasks', status: 'failed', error: 'permission' }))
      return night({
        started_at: `2026-02-0${day}T02:30:00.000Z`,
        outcome: 'partial',
        exit_code: 3,
        steps: [step('snapshot', { status: 'partial', exit_code: 3, reason: `permission ${pids[0]}` })],
        snapshot: snapshot && { ...snapshot, not_whole: scopes },
      })
    }
    // the same scopes in another order are the same cause
    const page = await text({ nights: [partial(4, 'P9'), partial(5, 'P1', 'P2'), partial(6, 'P2', 'P1')] })
    expect(page).toContain('snapshot is incomplete since 2026-02-05, 2 runs in a row: permission P2')
  })

  test('names incomplete scopes in words, from the warehouse or from the record', async () => {
    const of = {
      pid: 'P1',
      project_name: 'Apollo',
      stream: 'files',
      error: 'HTTP 502',
      last_complete_at: '2026-01-30T02:30:00Z',
    }
    const scopes = [
      { ...of, status: 'partial', unread_items: 3, since: '2026-01-31T02:30:00Z', runs: 4 },
      { ...of, stream: 'pages', status: 'failed', unread_items: 0, since: '2026-02-03T02:30:00Z', runs: 1 },
    ]
    const changes = manyChanges(0, { incomplete_scopes: 7, incomplete: scopes })
    const page = await text({ changes })
    expect(page).toContain('7 incomplete scopes')
    expect(page).toContain('files of Apollo P1 was read in part (3 items missing) since 2026-01-31, 4 runs: HTTP 502')
    expect(page).toContain('pages of Apollo P1 could not be read for the first time')
    expect(page).toContain('and 5 more: collab-extract runs latest')

    const { snapshot } = night()
    const not_whole = [{ pid: 'P1', stream: 'files', status: 'failed', error: 'HTTP 502' }]
    const bad = (day: number) =>
      night({
        started_at: `2026-02-0${day}T02:30:00.000Z`,
        outcome: 'partial',
        snapshot: snapshot && { ...snapshot, not_whole },
      })
    const alone = await text({ nights: [night(), bad(4), bad(5)], warehouseProblem: 'connection refused' })
    expect(alone).toContain('could not be read for this report: connection refused')
    expect(alone).toContain('files of P1 could not be read since 2026-02-04, 2 runs: HTTP 502')
  })

  test('names complete scopes that nothing proves', async () => {
    const of = {
      pid: 'P1',
      project_name: 'Apollo',
      stream: 'pages',
      warning: '20 pages: nothing proves that these are all',
    }
    const page = await text({ changes: manyChanges(0, { warnings: [of] }) })
    expect(page).toContain('Complete, but not proven')
    expect(page).toContain('pages of Apollo P1 may be incomplete: 20 pages: nothing proves that these are all')
    expect(await text({ changes: manyChanges(0) })).not.toContain('not proven')
  })

  test('names what changed by project, of another run if the last night read nothing', async () => {
    const changes = manyChanges(30, { run_id: 'another', gone: [{ pid: 'P9', name: 'Old' }] })
    const page = await text({ changes })
    expect(page).toContain('Rows changed in 30 of 42 projects.')
    expect(page).toContain('Apollo p1000 tasks 30 added, 9 changed archived tasks 3 changed pages 10 added')
    expect(page).toContain('No longer in the service Old P9')
    expect(page).toContain('5 more projects')
    expect(page).toContain('Of the run that began on 2026-02-03 02:30 UTC, the last one that finished.')
    expect(await text({ changes: manyChanges(3, { run_id: 'R30' }) })).not.toContain('Of the run that began')
  })

  test('shows no markup of names, reasons and errors, reorders no text and does not reload itself', async () => {
    const hostile = night({
      host: HOSTILE,
      base_url: `https://${HOSTILE}`,
      tool_version: HOSTILE,
      outcome: 'failed',
      exit_code: 1,
      steps: [step(HOSTILE, { status: 'failed', reason: HOSTILE })],
    })
    const scope = {
      pid: HOSTILE,
      project_name: HOSTILE,
      stream: 'files',
      status: 'failed',
      error: HOSTILE,
      unread_items: 0,
    }
    const { snapshot } = hostile
    const rows = { [HOSTILE]: { read: 1, inserted: 1, updated: 0, deleted: 0 } }
    const changes = manyChanges(1, {
      incomplete: [{ ...scope, last_complete_at: null, since: hostile.started_at, runs: 1 }],
      gone: [{ pid: HOSTILE, name: HOSTILE }],
    })
    const [changed] = changes.changed
    const page = await reportPage(
      facts({
        nights: [{ ...hostile, snapshot: snapshot && { ...snapshot, account: { uid: 'u', name: HOSTILE }, rows } }],
        changes: { ...changes, changed: changed ? [{ ...changed, pid: HOSTILE, name: HOSTILE }] : [] },
        warehouseProblem: HOSTILE,
      }),
    )
    expect(page.slice(page.indexOf('<body')).match(/<(script|img)|http-equiv="refresh"/g)).toBeNull()
    expect(page).not.toContain('\u202e')
    expect(page.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThan(10)
  })

  test('does not fail for nights that other versions or people wrote', async () => {
    const odd = [
      { steps: [], snapshot: {}, backup: {}, verification: {} },
      { steps: [{ name: 'snapshot', status: 'odd' }], host: 7, base_url: {}, duration_ms: 'x' },
      { snapshot: { rows: { tasks: null }, scopes: [], losses: null, not_whole: [3] }, last_whole_at: 'never' },
      { snapshot: { rows: { tasks: {} }, scopes: { x: {} }, losses: { a: 'b' }, not_whole: [{}], requests: 1 } },
      { snapshot: { ...night().snapshot, account: { uid: 7, name: {} } } },
      { snapshot: { ...night().snapshot, account: { uid: 'u2', name: [] } } },
      { snapshot: { ...night().snapshot, accounts: [{ account: 7, alone: 1 }, null, { account: 'a', alone: 'x' }] } },
      { steps: [step('<b>'.repeat(9000), { status: 'failed' })], outcome: 'failed', exit_code: {} },
      { outcome: 'failed', backup: { name: [], bytes: 1, new_bytes: 1 }, verification: { damaged: 3 } },
    ].map((fields, day) => ({ ...night(), started_at: `2026-02-0${day + 1}T02:30:00Z`, ...fields }) as unknown as Night)
    for (const last of odd) expect(await text({ nights: [...odd, last] })).toContain('The last run against')
    expect(await text({ nights: odd })).not.toMatch(/NaN|undefined|\[object/)
    const rows = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`t${index}`, { inserted: index }]))
    const { snapshot } = night()
    const steps = Array<unknown>(9000).fill(odd[4]?.steps[0])
    const many = { ...night(), outcome: 'failed', snapshot: { ...snapshot, rows }, steps } as unknown as Night
    expect(Buffer.byteLength(await reportPage(facts({ nights: [many] })))).toBeLessThan(200_000)
  })

  test('names the accounts that read, and what would not be read without one of them', async () => {
    const { snapshot } = night()
    const accounts = [
      { account: 'anna', alone: 3 },
      { account: 'ben', alone: 0 },
    ]
    const page = await text({ nights: [night({ snapshot: snapshot && { ...snapshot, account: null, accounts } })] })
    expect(page).toContain('read as anna, ben')
    expect(page).toContain('If anna leaves, 3 projects are no longer read: no other account lists them.')
    expect(page).not.toContain('If ben')
  })

  test('draws a night that is on record twice once', async () => {
    const nights = manyNights(3)
    expect(await reportPage(facts({ nights: [...nights, ...nights] }))).toBe(await reportPage(facts({ nights })))
  })
})

describe('the size of a report', () => {
  test('with long names of 300 projects stays in proportion', async () => {
    const page = await reportPage(facts({ nights: manyNights(120), changes: manyChanges(300) }))
    expect(Buffer.byteLength(page)).toBeLessThan(180_000)
  })

  testThoroughly('is at most 1 MB for 365 nights and 2,000 projects with the longest names', async () => {
    const nights = manyNights(365)
    const name = '客'.repeat(300)
    const changes = manyChanges(2000)
    const scope = {
      pid: 'p'.repeat(512),
      project_name: name,
      stream: 'archived_tasks',
      status: 'partial',
      unread_items: 12,
    }
    const long = manyChanges(2000, {
      changed: changes.changed.map((project) => ({
        ...project,
        pid: 'p'.repeat(512),
        name,
        streams: ['tasks', 'pages', 'posts', 'files', 'events'].map((stream) => ({
          stream,
          inserted: 123_456,
          updated: 1,
          deleted: 9,
        })),
      })),
      incomplete: Array.from({ length: 500 }, () => ({
        ...scope,
        error: '"'.repeat(300),
        last_complete_at: null,
        since: '2026-01-01T00:00:00Z',
        runs: 40,
      })),
      incomplete_scopes: 16_000,
      gone: Array.from({ length: 2000 }, () => ({ pid: 'p'.repeat(512), name })),
    })
    for (const of of [changes, long]) {
      const page = await reportPage(facts({ nights, changes: of }))
      expect(Buffer.byteLength(page)).toBeLessThan(1_000_000)
    }
    const all = await reportPage(facts({ nights, changes }))
    expect(all.match(/<li><bdi>/g)?.length).toBe(2000)
    expect(textOf(await reportPage(facts({ nights, changes: long })))).toMatch(
      /[\d,]+ projects with fewer changes are not listed/,
    )
  })
})

describe('the file of a report', () => {
  test('replaces the earlier one, can be read by all, and nothing else is left', async () => {
    await using scratch = await scratchDirectory()
    const directory = join(scratch.path, 'www')
    const umask = process.umask(0o077)
    try {
      await writeReport(directory, facts({ nights: [] }))
      const { path, bytes } = await writeReport(directory, facts())
      expect(path).toBe(join(directory, 'index.html'))
      expect(bytes).toBe(Buffer.byteLength(await readFile(path)))
    } finally {
      process.umask(umask)
    }
    expect(await readdir(directory)).toEqual(['index.html'])
    expect([(await stat(directory)).mode & 0o777, (await stat(join(directory, 'index.html'))).mode & 0o777]).toEqual([
      0o755, 0o644,
    ])
  })

  test('keeps the earlier one if the new one cannot be written', async () => {
    await using scratch = await scratchDirectory()
    await chmod(scratch.path, 0o700)
    await mkdir(join(scratch.path, 'index.html'))
    await expect(writeReport(scratch.path, facts({ nights: [] }))).rejects.toThrow('EISDIR')
    expect(await readdir(scratch.path)).toEqual(['index.html'])
    await writeFile(join(scratch.path, 'file'), '')
    await expect(writeReport(join(scratch.path, 'file'), facts({ nights: [] }))).rejects.toThrow('ENOTDIR')
    await expect(writeReport(join(scratch.path, 'missing/www'), facts({ nights: [] }))).rejects.toThrow('ENOENT')
  })

  test('replaces no page of another origin, and no file that a link leads to', async () => {
    await using scratch = await scratchDirectory()
    const [page, other] = [join(scratch.path, 'index.html'), join(scratch.path, 'other')]
    await writeFile(page, '<h1>Our company</h1>')
    await expect(writeReport(scratch.path, facts())).rejects.toThrow(`${page} was not written by collab-nightly`)
    expect(await readFile(page, 'utf8')).toBe('<h1>Our company</h1>')

    await writeFile(other, await reportPage(facts({ nights: [] })))
    await writeFile(page, '')
    await writeReport(scratch.path, facts({ nights: [] }))
    await symlink(other, join(scratch.path, `.index.html.${process.pid}.tmp`))
    const before = await readFile(other, 'utf8')
    await writeReport(scratch.path, facts())
    expect(await readFile(other, 'utf8')).toBe(before)
  })
})
