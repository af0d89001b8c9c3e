import { readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backupName, CONTENT, type Coverage, covers, lackOf, readManifestFacts } from '@collab-etl/backups'
import { type Decision, decide, type Policy } from '@collab-etl/backups/repository'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import type { ScopeState } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exitCodeOf } from '../src/show/backup-report.ts'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { backupTo, writeBag } from './backup-in.ts'
import { handMadeSource, pageRow, projectRow } from './rows.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const READ_AT = new Date('2026-01-10T00:00Z')

function coverage(more: Partial<Coverage> = {}): Coverage {
  return {
    ...{
      projects: null,
      formats: ['csv', 'markdown'],
      content: new Set(CONTENT),
      held: new Set(['P1', 'P2']),
      missing: new Map(),
      accepted: new Map(),
    },
    baseUrl: 'http://localhost',
    readAt: READ_AT,
    begunAt: null,
    asOf: null,
    ...more,
  }
}

const pids = fc.uniqueArray(fc.constantFrom('P1', 'P2', 'P3'), { maxLength: 3 })

const anyCoverage = fc
  .record({
    projects: fc.oneof(fc.constant(null), pids),
    formats: fc.uniqueArray(fc.constantFrom('csv', 'markdown', 'html'), { minLength: 1 }),
    content: fc.uniqueArray(fc.constantFrom(...CONTENT), { minLength: 1 }),
    held: pids,
    missing: fc.dictionary(fc.constantFrom('P1', 'P2', 'P3'), fc.constantFrom('pages', 'posts')),
    asOf: fc.constantFrom(null, new Date('2026-01-05T00:00Z')),
  })
  .map(({ projects, formats, content, held, missing, asOf }) =>
    coverage({
      projects: projects && new Set(projects),
      formats,
      held: new Set(held),
      asOf,
      content: new Set(content),
      missing: new Map(Object.entries(missing).map(([pid, stream]) => [pid, new Set([stream])])),
    }),
  )

describe('a backup covers another', () => {
  test.each([
    ['with the same projects and more formats', { formats: ['csv', 'html', 'markdown'] }, null],
    ['not without one of its formats', { formats: ['csv'] }, /no markdown/],
    ['not without one of its kinds of content', { content: new Set(['pages', 'tasks']) }, /without posts, events/],
    ['not with only some projects', { projects: new Set(['P1', 'P2']) }, /some projects/],
    ['not of an earlier state', { asOf: new Date('2026-01-09T00:00Z') }, /state of 2026-01-09/],
    ['of the same state', { asOf: READ_AT }, null],
    ['not of another service', { baseUrl: 'http://other' }, /another service/],
    ['not without one of its streams', { missing: new Map([['P2', new Set(['pages'])]]) }, /pages of project P2/],
    ['even if a new project could not be read', { missing: new Map([['P3', new Set(['pages'])]]) }, null],
    ['not without the list of projects', { missing: new Map([[null, new Set(['projects'])]]) }, /list of projects/],
    ['even if a project was deleted since', { held: new Set(['P1']) }, null],
  ] satisfies [string, Partial<Coverage>, RegExp | null][])('%s', (_, more, lack) => {
    const found = lackOf(coverage(more), coverage())
    if (lack === null) expect(found).toBeNull()
    else expect(found).toMatch(lack)
  })

  test('that depends on fewer streams, if only others of its own could not be read', () => {
    const partial = coverage({ missing: new Map([['P1', new Set(['posts'])]]) })
    expect(lackOf(partial, coverage({ content: new Set(['tasks', 'pages']) }))).toBeNull()
    expect(lackOf(partial, coverage({ content: new Set(['files']) }))).toMatch(/posts of project P1/)
  })

  test('unless it is as of a time before the other was begun', () => {
    const carried = coverage({ begunAt: new Date('2026-01-20T00:00Z') })
    expect(lackOf(coverage({ asOf: new Date('2026-01-19T00:00Z') }), carried)).toMatch(/state of 2026-01-19/)
    expect(lackOf(coverage({ asOf: new Date('2026-01-20T00:00Z') }), carried)).toBeNull()
  })

  test('itself', () => {
    fc.assert(
      fc.property(anyCoverage, (one) => {
        expect(covers(one, one)).toBe(true)
      }),
    )
  })

  test('if it has all projects, formats and streams, regardless of the other', () => {
    fc.assert(
      fc.property(anyCoverage, (other) => {
        expect(covers(coverage({ formats: ['csv', 'html', 'markdown'] }), other)).toBe(true)
      }),
    )
  })
})

function night(day: number, own: Coverage, more: Partial<Decision['backup']> = {}): Decision['backup'] {
  const begun = new Date(READ_AT.getTime() + day * DAY_MS)
  return {
    name: backupName(begun),
    begun,
    state: 'unverified',
    isLatest: false,
    manifest: { coverage: own },
    ...more,
  }
}

const LAST: Policy = { last: 1, periods: { hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0 }, within: null }
const NOW = new Date('2030-01-01T00:00Z')

describe('retention', () => {
  test('a backup is not removed for newer ones that do not cover it', () => {
    const nights = fc.array(fc.tuple(anyCoverage, fc.boolean()), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(nights, fc.integer({ min: 1, max: 3 }), (list, last) => {
        const policy = { ...LAST, last }
        const all = list.map(([own, isVerified], day) =>
          night(day, own, { state: isVerified ? 'verified' : 'unverified' }),
        )
        for (const { backup, action } of decide(policy, all, NOW)) {
          const later = all.filter(({ begun }) => begun > backup.begun)
          const thatCover = later.filter(({ manifest }) => {
            return manifest && backup.manifest && covers(manifest.coverage, backup.manifest.coverage)
          })
          if (action === 'remove') expect(thatCover.length).toBeGreaterThanOrEqual(last)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a verified backup stays until a later verified one covers it', () => {
    const small = coverage({ projects: new Set(['P1']) })
    const state = 'verified'
    const backups = [night(1, coverage(), { state }), night(2, small, { state }), night(3, coverage())]
    const reasons = (list: readonly Decision['backup'][]) => decide(LAST, list, NOW).map(({ reasons: of }) => of.join())
    expect(reasons(backups)).toEqual([
      'last verified with its coverage',
      'last verified',
      'newest undamaged one,last 1 of 1',
    ])
    expect(reasons([...backups, night(4, coverage(), { state })])).toEqual([
      ...['no rule keeps it', 'no rule keeps it', 'no rule keeps it', 'last verified,newest undamaged one,last 1 of 1'],
    ])
  })
})

function sourceOf(baseUrl = 'http://localhost'): BackupRows {
  const whole = handMadeSource({
    tables: { projects: [projectRow('P1', 'Road Map')], pages: [pageRow('P1', 'a1', 'Guide')] },
    scopes: [{ pid: 'P1', stream: 'pages', status: 'complete', error: null }],
  })
  return { ...whole, origin: { ...whole.origin, baseUrl } }
}

describe('coverage of written backups', () => {
  test('a backup of another service becomes the latest only with --as-latest', async () => {
    const directory = await scratch()
    const { name } = await backupTo(directory, sourceOf())
    const other = await backupTo(directory, sourceOf('http://other'))
    expect(other.notLatest).toEqual({ latest: name, lack: 'it is of another service, http://other' })
    expect(await readlink(join(directory, 'latest'))).toBe(name)
    const asked = await backupTo(directory, sourceOf('http://other'), undefined, 'hard', { asLatest: true })
    expect(await readlink(join(directory, 'latest'))).toBe(asked.name)
  })

  test('files are linked from the newest backup of the same service, never with one of another', async () => {
    const directory = await scratch()
    await backupTo(directory, sourceOf())
    const other = await backupTo(directory, sourceOf('http://other'))
    expect(other.links).toMatchObject({ previous: null, linked: { files: 0 } })
    const next = await backupTo(directory, sourceOf('http://other'))
    expect(next.links).toMatchObject({ previous: other.name, refusal: null })
    expect(next.links.linked.files).toBeGreaterThan(0)
  })

  test('a damaged latest backup keeps its place against one of another service', async () => {
    const directory = await scratch()
    const { name, path } = await backupTo(directory, sourceOf())
    await writeFile(join(path, 'manifest-sha256.txt'), '')
    const other = await backupTo(directory, sourceOf('http://other'))
    expect(other.notLatest).toEqual({ latest: name, lack: 'it is of another service, http://other' })
    expect((await backupTo(directory, sourceOf())).notLatest).toBeNull()
  })

  test('diff rejects backups of two services, unless --across-services is set', async () => {
    const directory = await scratch()
    const [a, b] = [await backupTo(directory, sourceOf()), await backupTo(directory, sourceOf('http://other'))]
    const diff = (...args: string[]) => run('collab-export', ['diff', a.path, b.path, ...args], { cwd: directory })
    const refused = await diff()
    expect(refused.code).toBe(2)
    for (const text of ['http://localhost', 'http://other', '--across-services']) expect(refused.stderr).toContain(text)
    expect((await diff('--across-services')).code).toBe(0)
  })

  test('a project that the token may not read leaves a backup whole, which covers none with it', async () => {
    const directory = await scratch()
    const tables = { projects: [projectRow('P1', 'Road Map'), projectRow('P2', 'Theirs')] }
    const scope = (pid: string, code?: string): ScopeState => {
      const error = code === undefined ? null : { code, message: 'permission 0' }
      return { pid, stream: 'pages', status: error === null ? 'complete' : 'skipped', error }
    }
    const madeOf = (...scopes: ScopeState[]) => backupTo(directory, handMadeSource({ tables, scopes }))
    const barred = await madeOf(scope('P1'), scope('P2', 'NO_PERMISSION'))
    expect([barred.contents.status, exitCodeOf(barred.contents)]).toEqual(['complete', 0])
    expect(await readManifestFacts(barred.path)).toMatchObject({
      data: 'whole',
      coverage: { missing: new Map([['P2', new Set(['pages'])]]) },
    })
    expect(await readFile(join(barred.path, 'data/report.html'), 'utf8')).toContain(
      'the token may not read what is missing.</p>',
    )
    expect((await madeOf(scope('P1'), scope('P2', 'NO_PERMISSION'))).notLatest).toBeNull()
    // a stream that the first run did not know to be offered
    const further = { ...scope('P2', 'NO_PERMISSION'), stream: 'posts' } as const
    expect((await madeOf(scope('P1'), scope('P2', 'NO_PERMISSION'), further)).notLatest).toBeNull()

    const { name } = await madeOf(scope('P1'), scope('P2'))
    const again = await madeOf(scope('P1'), scope('P2', 'NO_PERMISSION'))
    expect(again.notLatest).toMatchObject({ latest: name })
    for (const scopes of [[scope('P1'), scope('P2', 'ACCESS_LOST')], [scope('P2', 'NO_PERMISSION')]])
      expect(exitCodeOf((await madeOf(...scopes)).contents)).toBe(3)
  })

  test('a backup of an earlier version counts as one of the projects that it names', async () => {
    const directory = await scratch()
    const { path } = await backupTo(directory, sourceOf())
    const now = await readManifestFacts(path)
    const manifest = join(path, 'data/backup.json')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace(/^"(status|coverage)": .*\n/gm, ''))
    const before = await readManifestFacts(path)
    expect(now?.coverage.projects).toBeNull()
    expect(before).toMatchObject({ data: 'whole', coverage: { projects: new Set(['P1']) } })
    if (!now || !before) throw new Error('the facts could not be read')
    expect([covers(now.coverage, before.coverage), covers(before.coverage, now.coverage)]).toEqual([true, false])
  })

  test('a backup that lacks accepted failures takes the place of a whole one, and says so', async () => {
    const directory = await scratch()
    const failed = {
      pid: 'P1',
      stream: 'pages',
      status: 'failed',
      error: { code: 'HTTP_500', message: 'down' },
    } as const
    const accepted = [{ scope: 'P1/pages', until: '2027-01-01T00:00:00.000Z', reason: 'ticket 4711' }]
    const backup = (scope: ScopeState) => {
      const tables = { projects: [projectRow('P1', 'One')] }
      return backupTo(directory, handMadeSource({ tables, scopes: [scope] }))
    }
    const whole = await backup({ ...failed, status: 'complete', error: null })
    const made = await backup({ ...failed, accepted })
    expect(made).toMatchObject({ notLatest: null, contents: { status: 'accepted' }, links: { previous: whole.name } })
    expect(exitCodeOf(made.contents)).toBe(0)
    expect(await readFile(join(made.path, 'data/report.html'), 'utf8')).toContain(
      'until 2027-01-01</span>: <bdi>ticket 4711',
    )
    const facts = await readManifestFacts(made.path)
    expect(facts).toMatchObject({ data: 'accepted', coverage: { missing: new Map() } })
    expect(facts?.coverage.accepted).toEqual(new Map([['P1', new Set(['pages'])]]))
    expect((await backup(failed)).notLatest).toMatchObject({ latest: made.name })
  })

  test('a backup without a list of its content counts as one of what earlier versions wrote', async () => {
    for (const [formats, content] of [
      [
        ['csv', 'markdown'],
        ['pages', 'posts'],
      ],
      [
        ['csv', 'jsonl'],
        ['pages', 'posts', 'tasks', 'events', 'files'],
      ],
    ] as const) {
      const bag = await scratch()
      await writeBag(bag, sourceOf(), { formats: new Set(formats) })
      const manifest = join(bag, 'data/backup.json')
      await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(/^"content": .*\n/m, ''))
      expect([...((await readManifestFacts(bag))?.coverage.content ?? [])]).toEqual(content)
    }
  })
})
