import type { ScopeStatus, StreamName } from '@collab-etl/core'
import type { RunScopeRow } from '@collab-etl/warehouse'
import { expect, test } from 'vitest'
import { publishedProjects, RESUMED } from '../src/snapshot/resume.ts'

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
  return { pid, stream, status, ...counts, ...times, content_hash: null, error_code, error: null }
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
