import type { ScopeStatus, StreamName } from '@collab-etl/contract/streams'
import type { RunRow, RunScopeRow } from '@collab-etl/warehouse'
import { expect, test } from 'vitest'
import { keptProjects, publishedProjects } from '../src/snapshot/resume.ts'
import type { StoredOptions } from '../src/snapshot/run-options.ts'
import { RESUMED, Tally } from '../src/snapshot/tally.ts'

function row(
  pid: string | null,
  stream: StreamName,
  status: ScopeStatus,
  error_code: string | null = null,
): RunScopeRow {
  const counts = {
    pages: 1,
    requests: 1,
    bytes: 1,
    records_read: 0,
    rows_read: 0,
    rows_inserted: 0,
    rows_updated: 0,
    rows_deleted: 0,
  }
  const times = { started_at: '2024-01-01T00:00:00.000Z', finished_at: '2024-01-01T00:00:00.000Z' }
  return {
    pid,
    project_name: null,
    stream,
    status,
    ...counts,
    ...times,
    content_hash: null,
    error_code,
    error: null,
    carried: 0,
    warning_code: null,
    warning: null,
    waiting: 0,
    carried_since: null,
    worker: null,
    account: null,
    accepted: null,
  }
}

const STREAMS = new Set<StreamName>(['tasks', 'pages'])

test.each([
  ['all streams complete', [row('p', 'tasks', 'complete'), row('p', 'pages', 'complete')], ['p']],
  ['a stream not read then', [row('p', 'tasks', 'complete')], []],
  ['a stream failed', [row('p', 'tasks', 'complete'), row('p', 'pages', 'failed')], []],
  ['a stream drifted', [row('p', 'tasks', 'complete'), row('p', 'pages', 'drifted')], []],
  [
    'skipped for want of permission',
    [row('p', 'tasks', 'skipped', 'NO_PERMISSION'), row('p', 'pages', 'skipped', 'NO_PERMISSION')],
    [],
  ],
  [
    'published by the run that it resumed',
    [row('p', 'tasks', 'skipped', RESUMED), row('p', 'pages', 'skipped', RESUMED)],
    ['p'],
  ],
  ['what belongs to no project', [row(null, 'tasks', 'complete'), row(null, 'pages', 'complete')], []],
])('what is not read again: %s', (_edge, scopes, pids) => {
  expect([...publishedProjects({ scopes }, STREAMS)]).toEqual(pids)
})

const OPTIONS: StoredOptions = {
  projects: null,
  streams: ['events', 'posts'],
  events_from: null,
  events_to: null,
  named_posts: { p: 'hash', q: 'hash' },
  links: 'hash',
}
const SCOPES = ['p', 'q'].flatMap((pid) => [row(pid, 'events', 'complete'), row(pid, 'posts', 'complete')])

function runUnder(options: RunRow['options'], toolVersion = '1'): RunRow {
  return {
    run_id: 'r',
    started_at: '',
    finished_at: null,
    status: 'interrupted',
    base_url: '',
    tool_version: toolVersion,
    requests: 0,
    retries: 0,
    bytes: 0,
    error: null,
    covers_all: true,
    capabilities: null,
    accounts: null,
    options,
  }
}

const ranged = (from: string | null, to: string | null): StoredOptions => ({
  ...OPTIONS,
  events_from: from,
  events_to: to,
})

const withEntries: StoredOptions = { ...OPTIONS, streams: [...OPTIONS.streams, 'entries'] }

test.each<[what: string, earlier: RunRow['options'], later: StoredOptions, kept: string[]]>([
  ['the same options', OPTIONS, OPTIONS, ['p', 'q']],
  ['other projects', { ...OPTIONS, projects: ['p', 'q'] }, OPTIONS, ['p', 'q']],
  ['fewer streams now', OPTIONS, { ...OPTIONS, streams: ['posts'] }, ['p', 'q']],
  ['more streams now', OPTIONS, { ...OPTIONS, streams: ['events', 'posts', 'tasks'] }, []],
  ['the default range now', ranged('2024-01-01T00:00:00.000Z', null), OPTIONS, []],
  ['the default range then', OPTIONS, ranged(null, '2024-01-01T00:00:00.000Z'), []],
  ['a narrower range now', ranged('2023', '2026'), ranged('2024', '2025'), ['p', 'q']],
  ['a wider range now', ranged('2024', '2025'), ranged('2024', '2026'), []],
  ['another range, events not asked for', ranged('2024', null), { ...OPTIONS, streams: ['posts'] }, ['p', 'q']],
  ['other posts of one project', OPTIONS, { ...OPTIONS, named_posts: { p: 'other' } }, ['q']],
  ['posts not named before', { ...OPTIONS, named_posts: {} }, OPTIONS, []],
  ['no posts named now', OPTIONS, { ...OPTIONS, named_posts: {} }, ['p', 'q']],
  ['other links', OPTIONS, { ...OPTIONS, links: null }, []],
  ['other links, posts not asked for', OPTIONS, { ...OPTIONS, links: null, streams: ['events'] }, ['p', 'q']],
  ['observed operations not used then', { ...OPTIONS, extended: 'off' }, OPTIONS, []],
  ['an optional stream that was not offered', withEntries, withEntries, ['p', 'q']],
  ['an optional stream that was not asked for', OPTIONS, withEntries, []],
  ['unknown options', null, OPTIONS, []],
  ['options of another program', { projects: null, streams: [] }, OPTIONS, []],
])('projects kept by a run with other options: %s', (_what, earlier, later, kept) => {
  const resumable = keptProjects({ run: runUnder(earlier), scopes: SCOPES }, { toolVersion: '1', options: later })
  expect([...resumable.published]).toEqual(kept)
})

test('a run by another version of the tool is not kept, and the reason is given', () => {
  const later = { toolVersion: '2', options: OPTIONS }
  const { published, readAgain } = keptProjects({ run: runUnder(OPTIONS), scopes: SCOPES }, later)
  expect([[...published], readAgain]).toEqual([[], 'another version of the tool (1) read them'])
})

test('streams that were not allowed are kept as such', () => {
  const scopes = [row('p', 'events', 'complete'), row('p', 'posts', 'skipped', 'NOT_ALLOWED')]
  const of = { toolVersion: '1', options: OPTIONS }
  const { published, notAllowed } = keptProjects({ run: runUnder(OPTIONS), scopes }, of)
  expect([[...published], [...notAllowed]]).toEqual([['p'], [['p', ['posts']]]])
})

test.each([
  [RESUMED, true],
  ['NO_PERMISSION', false],
])('a scope that is skipped as %s counts as read and may be followed up: %s', (code, isRead) => {
  const tally = new Tally()
  const scope = { pid: 'p', stream: 'posts', status: 'skipped', pages: 0, read: 0, content_hash: null } as const
  tally.addScope({ ...scope, error: { code, message: '' }, carried: 0, carried_since: null })
  expect([tally.isRead('p', 'posts'), tally.mayFollowUp('p', 'posts')]).toEqual([isRead, isRead])
})
