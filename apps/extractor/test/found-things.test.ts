import type { DiscoveredId } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import { FoundThings } from '../src/snapshot/found-things.ts'

const known = (pid: string, ...ids: string[]) =>
  ({ kind: 'known_post', records: ids.map((post_id) => ({ pid, post_id, source: 'page' })), losses: [] }) as const

const elsewhere = (...ids: DiscoveredId[]) => {
  const named = ids.map((id) => ({ ...id, isFromText: true }))
  return { known: 0, read: 0, notFound: 0, waiting: 0, left: 0, leftIn: [], elsewhere: named }
}

test('an id named elsewhere is followed once, unless the project came upon it itself', () => {
  const found = new FoundThings()
  found.note('a', known('a', '1'))
  found.addCounts('post', 'b', elsewhere({ pid: 'a', id: '1', source: 'page' }, { pid: 'a', id: '2', source: 'task' }))
  expect(found.takeToFollow('post', 'a')).toEqual([{ id: '2', source: 'task', isDoubtful: true, isFromText: true }])
  expect(found.takeToFollow('post', 'a')).toEqual([])
  expect(found.takeToFollow('file', 'a')).toEqual([])
})

test('totals count each id once, and those of projects that were not read apart', () => {
  const found = new FoundThings()
  found.note('a', known('a', '1', '2'))
  found.note('a', known('b', '3'))
  found.note('a', { kind: 'not_found_post', records: [{ post_id: '1' }, { post_id: '1' }], losses: [] })
  found.addCounts('post', 'b', elsewhere({ pid: 'a', id: '2', source: 'page' }, { pid: 'c', id: '4', source: 'page' }))
  expect(found.totals('post', new Set(['a']))).toEqual({
    known: 2,
    read: 0,
    gone: 1,
    elsewhere: 1,
    waiting: 0,
    left: 0,
  })
})
