import {
  type Coverage,
  type CoveredScope,
  judgeScopes,
  type RunRow,
  readByRuns,
  unfinishedRuns,
} from '@collab-etl/warehouse'
import { describe, expect, test } from 'vitest'

function run(id: string, more: Partial<RunRow> = {}): RunRow {
  return {
    run_id: id,
    started_at: `2026-01-0${id}T00:00:00.000Z`,
    finished_at: null,
    status: 'succeeded',
    base_url: '',
    tool_version: '',
    requests: 0,
    retries: 0,
    bytes: 0,
    error: null,
    covers_all: true,
    options: null,
    capabilities: null,
    accounts: null,
    ...more,
  }
}

const READ = { runId: '2', at: '2026-01-02T00:05:00.000Z', carriedSince: null }

function scope(more: Partial<CoveredScope> = {}): CoveredScope {
  return {
    pid: 'P1',
    stream: 'pages',
    isLive: true,
    isLeftOut: false,
    latest: { status: 'complete', error: null },
    complete: READ,
    stored: READ,
    ...more,
  }
}

function coverage(scopes: readonly CoveredScope[], more: Partial<Coverage> = {}): Coverage {
  return { wholeRun: run('2'), scopes, runs: [run('2')], ...more }
}

const gone = { status: 'skipped', error: { code: '400004', message: 'gone' } } as const

describe('a scope of the warehouse', () => {
  test.each([
    ['that was complete is complete', scope(), null],
    ['that no run tried to read was never read', scope({ latest: null }), 'NEVER_READ'],
    ['that the last run over all projects did not read is named', scope({ isLeftOut: true }), 'LEFT_OUT'],
    ['of a stored project that no longer exists is named', scope({ latest: gone }), '400004'],
    [
      'that the token may not read is named',
      scope({ latest: { status: 'skipped', error: { code: 'NO_PERMISSION', message: '' } } }),
      'NO_PERMISSION',
    ],
    [
      'that failed is named even if it was complete before',
      scope({ latest: { status: 'failed', error: { code: '120001', message: '' } } }),
      '120001',
    ],
  ])('%s', (_, own, code) => {
    const [state] = judgeScopes(coverage([own]), ['pages'])
    expect(state).toMatchObject({ pid: 'P1', stream: 'pages', error: code === null ? null : { code } })
    if (code !== null) expect(state?.status).not.toBe('complete')
  })

  test('that is incomplete says when it was last complete', () => {
    const [state] = judgeScopes(coverage([scope({ isLeftOut: true })]), ['pages'])
    expect(state?.error?.message).toMatch(/last complete at 2026-01-02T00:05:00.000Z/)
  })

  test('is judged for each needed stream and no others', () => {
    const states = judgeScopes(coverage([scope(), scope({ stream: 'webhooks' })]), ['pages', 'posts'])
    expect(states.map(({ stream, status }) => [stream, status])).toEqual([
      ['pages', 'complete'],
      ['posts', 'failed'],
    ])
  })
})

describe('a list that was never complete', () => {
  const failed = { status: 'partial', error: { code: 'UNREAD_ITEMS', message: '' } } as const
  const lists = [
    scope({ stream: 'members', isLeftOut: true, latest: failed, complete: null, stored: null }),
    scope({ stream: 'teams', pid: null, isLive: false, latest: failed, complete: null, stored: null }),
  ]
  const judged = (offers: boolean) => {
    const capabilities = { 'projects.members.list': offers, 'teams.list': offers }
    return judgeScopes(coverage(lists, { wholeRun: run('2', { capabilities }) }), ['members', 'teams'])
  }

  test('and is no longer offered leaves a backup whole: no run can read it', () => {
    expect(judged(false)).toEqual([])
  })

  test('and is still offered is named', () => {
    expect(judged(true).map(({ pid, stream }) => [pid, stream])).toEqual([
      ['P1', 'members'],
      [null, 'teams'],
    ])
  })

  test('is carried if it was complete once', () => {
    const carried = scope({ stream: 'members', latest: { status: 'carried', error: null } })
    const capabilities = { 'projects.members.list': false }
    const states = judgeScopes(coverage([carried], { wholeRun: run('2', { capabilities }) }), ['members'])
    expect(states).toMatchObject([{ stream: 'members', status: 'carried' }])
  })
})

describe('the list of projects', () => {
  test('is missing if no run over all projects has finished', () => {
    const [state] = judgeScopes(coverage([], { wholeRun: null }), ['pages'])
    expect(state).toMatchObject({ pid: null, stream: 'projects', error: { code: 'NEVER_READ' } })
  })

  test('is named only if the last one was refused', () => {
    const list = { pid: null, stream: 'projects', isLive: false } as const
    expect(judgeScopes(coverage([scope(list)]), ['pages'])).toEqual([])
    const refused = scope({ ...list, latest: { status: 'refused', error: { code: 'SHRINK', message: '' } } })
    expect(judgeScopes(coverage([refused]), ['pages'])).toMatchObject([{ pid: null, status: 'refused' }])
  })
})

describe('runs that rows are from', () => {
  const of = (streams: readonly ('pages' | 'posts')[], pids: readonly string[] | null = null) => ({
    runId: '2',
    streams,
    pids,
  })
  const older = { runId: '1', at: '2026-01-01T00:05:00.000Z', carriedSince: null }
  const mixed = coverage([scope(), scope({ stream: 'posts', stored: older }), scope({ pid: 'P2' })], {
    runs: [run('1'), run('2'), run('3', { status: 'running' })],
  })

  test('are not named if all rows are from the last whole run', () => {
    expect(readByRuns(mixed, of(['pages']))).toBeNull()
    expect(readByRuns(mixed, of(['pages', 'posts'], ['P2']))).toBeNull()
  })

  test('are named by project, the oldest first, with the time they were read', () => {
    const found = readByRuns(mixed, of(['pages', 'posts']))
    expect(found?.runs.map(({ runId }) => runId)).toEqual(['1', '2'])
    expect(found?.projects.get('P1')).toEqual([
      { run: '1', at: older.at, streams: ['posts'] },
      { run: '2', at: READ.at, streams: ['pages'] },
    ])
  })

  test('are named with the oldest reading that they carried, even if there is only one', () => {
    const since = ['2025-12-03T00:00:00.000Z', '2025-12-02T00:00:00.000Z']
    const [posts, files] = since.map((carriedSince) => ({ ...READ, carriedSince }))
    const scopes = [
      scope({ stream: 'posts', stored: posts ?? null }),
      scope({ stream: 'files', stored: files ?? null }),
    ]
    const found = readByRuns(coverage([scope(), ...scopes]), {
      runId: '2',
      streams: ['pages', 'posts', 'files'],
      pids: null,
    })
    expect(found).toMatchObject({ carriedSince: since[1], runs: [{ runId: '2' }] })
    expect(found?.projects.get('P1')).toEqual([
      { run: '2', at: READ.at, streams: ['pages', 'posts', 'files'], carried_since: since[1] },
    ])
    expect(readByRuns(coverage([scope(), ...scopes]), of(['pages']))).toBeNull()
  })

  test('that did not finish are listed, a dead one as interrupted', () => {
    expect(unfinishedRuns(mixed)).toEqual([
      { runId: '3', startedAt: '2026-01-03T00:00:00.000Z', status: 'interrupted' },
    ])
  })
})
