import type { DiscoveredId, ScopeResult } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import { DiscoveredIds } from '../src/projects/discovered-ids.ts'

const known = (pid: string, ...ids: string[]) =>
  ({ kind: 'known_post', records: ids.map((post_id) => ({ pid, post_id, source: 'page' })), losses: [] }) as const

const resultOf = (pid: string, ...ids: DiscoveredId[]): ScopeResult => {
  const elsewhere = ids.map((id) => ({ ...id, isFromText: true }))
  return {
    scope: { pid, stream: 'posts' },
    status: 'complete',
    pages: 0,
    read: 0,
    requests: 0,
    bytes: 0,
    startedAt: new Date(),
    finishedAt: new Date(),
    discovered: { known: 0, read: 0, notFound: 0, isListed: false, waiting: 0, left: 0, leftIn: [], elsewhere },
  }
}

test('an id named elsewhere is followed up once, unless the project itself discovered it', () => {
  const ids = new DiscoveredIds()
  ids.addBatch('a', known('a', '1'))
  ids.addResult(resultOf('b', { pid: 'a', id: '1', source: 'page' }, { pid: 'a', id: '2', source: 'task' }))
  expect(ids.takeForFollowUp('post', 'a')).toEqual([{ id: '2', source: 'task', isDoubtful: true, isFromText: true }])
  expect(ids.takeForFollowUp('post', 'a')).toEqual([])
  expect(ids.takeForFollowUp('file', 'a')).toEqual([])
})

test('ids that a resumed run found are followed up; a field that names one outweighs texts', () => {
  const ids = new DiscoveredIds()
  ids.addNamed('file', 'a', [{ id: '1', source: 'comment' }])
  ids.addNamed('file', 'a', [{ id: '1', source: 'page', isFromText: true }])
  expect(ids.takeForFollowUp('file', 'a')).toMatchObject([{ id: '1', isDoubtful: true, isFromText: false }])
})

test('totals count each id once, and ids of unread projects separately', () => {
  const ids = new DiscoveredIds()
  ids.addBatch('a', known('a', '1', '2'))
  ids.addBatch('a', known('b', '3'))
  ids.addBatch('a', { kind: 'not_found_post', records: [{ post_id: '1' }, { post_id: '1' }], losses: [] })
  ids.addResult(resultOf('b', { pid: 'a', id: '2', source: 'page' }, { pid: 'c', id: '4', source: 'page' }))
  expect(ids.totals('post', new Set(['a']))).toEqual({
    known: 2,
    read: 0,
    notFound: 1,
    carried: 0,
    elsewhere: 1,
    waiting: 0,
    left: 0,
    isListed: false,
  })
})
