import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NAMINGS, type Naming } from '../src/names/naming.ts'
import { PathIndex } from '../src/path-index.ts'
import { type Placed, sourceOf, type World, world } from './any-records.ts'
import { clashesOf, faultsOf } from './legal-paths.ts'

const keyOf = ({ kind, pid, id }: Pick<Placed, 'kind' | 'pid' | 'id'>) => JSON.stringify([pid, kind, id])

/** The path of every record, and the issues of pages that could not be placed below their parents. */
async function placesOf(of: World, naming: Naming): Promise<{ paths: Map<string, string>; moved: Set<string> }> {
  const index = new PathIndex(sourceOf(of), new Map(of.projects.map(({ pid, title }) => [pid, title])), naming)
  const paths = new Map<string, string>()
  for (const { kind, pid, id } of of.records) {
    paths.set(keyOf({ kind, pid, id }), (await index.placeOf(pid, kind, id))?.path ?? '')
  }
  const issues = await Promise.all(of.projects.map(async ({ pid }) => (await index.project(pid)).pages.issues))
  const tooLong = issues.flat().filter(({ kind }) => kind === 'path_too_long')
  return {
    paths,
    moved: new Set(tooLong.map(({ pid, record_key: id }) => keyOf({ kind: 'page', pid: pid ?? '', id }))),
  }
}

/** A record and all above it; of pages that are each other's parent, all of them. */
function withAllAbove(record: Placed, records: ReadonlyMap<string, Placed>): Set<string> {
  const found = new Set<string>()
  for (let at: Placed | undefined = record; at && !found.has(keyOf(at)); ) {
    found.add(keyOf(at))
    at = at.parentId === null ? undefined : records.get(keyOf({ ...at, id: at.parentId }))
  }
  return found
}

const recordsByKey = ({ records }: World) => new Map(records.map((record) => [keyOf(record), record]))

const nameOf = (path: string | undefined) => path?.split('/').at(-1)

describe.each(NAMINGS)('names (%s)', (naming) => {
  test('every record is one file, whose path is legal everywhere and like no other', { tags: 'thorough' }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async (of) => {
        const paths = [...(await placesOf(of, naming)).paths.values()]
        expect(paths.flatMap(faultsOf)).toEqual([])
        expect(clashesOf([...paths, 'markdown/README.md'])).toEqual([])
        for (const path of paths) expect(Buffer.byteLength(`data/${path}`)).toBeLessThanOrEqual(800)
      }),
      { numRuns: times(40, 300) },
    )
  })

  test('thousands of siblings with one name, whose ids differ in case alone, are as many files', async () => {
    const ids = Array.from({ length: 4096 }, (_, number) => {
      return [...number.toString(2).padStart(12, '0')].map((bit) => (bit === '1' ? 'A' : 'a')).join('')
    })
    const siblings = ids.map(
      (id) => ({ kind: 'page', pid: 'p', id, parentId: 'top', title: '文'.repeat(300) }) as const,
    )
    const top = { kind: 'page', pid: 'p', id: 'top', parentId: null, title: 'Top' } as const
    const { paths, moved } = await placesOf(
      { projects: [{ pid: 'p', title: 'P' }], records: [top, ...siblings] },
      naming,
    )
    expect(new Set([...paths.values()].map((path) => path.toLowerCase())).size).toBe(4097)
    expect([...paths.values()].flatMap(faultsOf)).toEqual([])
    expect(moved.size).toBe(0)
  })
})

/** A world, and which of its records are still there later on, under what titles. */
const worlds = fc.record({ before: world, seed: fc.infiniteStream(fc.boolean()) })

describe('as others come and go', () => {
  test('no name changes, and no path but with those above it (id-suffix)', { tags: 'thorough' }, async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ before, seed }) => {
        const kept = before.records.filter(() => seed.next().value)
        const renamed = new Set(kept.filter(() => seed.next().value).map(keyOf))
        const after = {
          ...before,
          records: kept.map((record) => (renamed.has(keyOf(record)) ? { ...record, title: 'Renamed' } : record)),
        }
        const [were, are] = [await placesOf(before, 'id-suffix'), await placesOf(after, 'id-suffix')]
        const [all, present] = [recordsByKey(before), recordsByKey(after)]
        for (const record of kept) {
          const key = keyOf(record)
          if (!renamed.has(key)) expect(nameOf(are.paths.get(key))).toBe(nameOf(were.paths.get(key)))
          const own = [...withAllAbove(record, all)]
          if (own.every((above) => present.has(above) && !renamed.has(above))) {
            expect(are.paths.get(key)).toBe(were.paths.get(key))
          }
        }
      }),
      { numRuns: times(40, 300) },
    )
  })

  test('no path changes but for records with smaller ids, and with those above it (plain)', {
    tags: 'thorough',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ before, seed }) => {
        const after = { ...before, records: before.records.filter(() => seed.next().value) }
        const [were, are] = [await placesOf(before, 'plain'), await placesOf(after, 'plain')]
        // A title that looks like a numbered name comes first; so does a page that belongs to the top, before those that are too deep.
        fc.pre(!before.records.some(({ title }) => /\([0-9a-f]{8,}\)/.test(title ?? '')))
        fc.pre(were.moved.size === 0 && are.moved.size === 0)
        const [all, present] = [recordsByKey(before), recordsByKey(after)]
        // Gone themselves, or in another folder.
        const changed = before.records.filter((record) =>
          [...withAllAbove(record, all)].some((key) => !present.has(key)),
        )
        const keys = new Set(changed.map(keyOf))
        for (const record of after.records) {
          const own = [...withAllAbove(record, all)].flatMap((key) => all.get(key) ?? [])
          const isBehind = own.some((above) => changed.some(({ id }) => compareBytes(id, above.id) < 0))
          if (!isBehind && !keys.has(keyOf(record))) {
            expect(are.paths.get(keyOf(record))).toBe(were.paths.get(keyOf(record)))
          }
        }
      }),
      { numRuns: times(60, 500) },
    )
  })
})
