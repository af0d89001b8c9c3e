import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Head } from '../src/tree/head.ts'
import { resolveParents } from '../src/tree/parents.ts'
import { placePages } from '../src/tree/places.ts'
import { withPaths } from './places-with-paths.ts'

const head = (id: string, parentId: string | null = null, title: string | null = id): Head => ({
  id,
  parentId,
  title,
  updatedAt: null,
})

const place = (heads: readonly Head[]) => withPaths(placePages('p', 'data/markdown/p--p', heads))

/** Forests with orphans, circles, long titles and ids that only differ in case. */
const heads = fc.uniqueArray(fc.stringMatching(/^[a-cA-C]{1,3}$/), { maxLength: 30 }).chain((ids) =>
  fc.tuple(
    ...ids.map((id) =>
      fc.record({
        id: fc.constant(id),
        parentId: fc.oneof(fc.constant(null), fc.constantFrom('missing', ...ids)),
        title: fc.oneof(fc.constantFrom('one', '..', '文'.repeat(300)), fc.string({ unit: anyCharacter })),
        updatedAt: fc.constant(null),
      }),
    ),
  ),
)

describe('parents', () => {
  test('a page whose parent is missing goes to the top, and is listed', () => {
    const { parents, problems } = resolveParents([head('a', 'gone'), head('b', 'a')])
    expect([...parents]).toEqual([-1, 0])
    expect(problems).toEqual([{ index: 0, kind: 'parent_missing' }])
  })

  test('a circle is cut at its smallest id by bytes, in any order and with any children', () => {
    const circle = [head('t', 'c'), head('c', 'b'), head('a', 'c'), head('b', 'a')]
    const { parents, problems } = resolveParents(circle)
    expect([...parents]).toEqual([1, 3, -1, 2])
    expect(problems).toEqual([{ index: 2, kind: 'parent_cycle' }])
  })

  test('a page that is its own parent is a circle of one', () => {
    expect(resolveParents([head('a', 'a')])).toEqual({
      parents: Int32Array.of(-1),
      problems: [{ index: 0, kind: 'parent_cycle' }],
    })
  })

  test('two circles are cut each', () => {
    const { problems } = resolveParents([head('a', 'b'), head('b', 'a'), head('c', 'd'), head('d', 'c')])
    expect(problems.map(({ index }) => index)).toEqual([0, 2])
  })

  test('following parents always ends, and only pages with a problem lose theirs', () => {
    fc.assert(
      fc.property(heads, (heads) => {
        const { parents, problems } = resolveParents(heads)
        const lost = new Set(problems.map(({ index }) => index))
        for (const [start, head] of heads.entries()) {
          let steps = 0
          for (let at = start; at !== -1; at = parents[at] ?? -1) expect(steps++).toBeLessThanOrEqual(heads.length)
          const parent = heads[parents[start] ?? -1]?.id ?? null
          expect(parent).toBe(lost.has(start) ? null : head.parentId)
        }
      }),
    )
  })
})

describe('places', () => {
  test('children lie in a folder beside their parent, of the same name', () => {
    const { paths, issues } = place([head('a'), head('b', 'a'), head('c', 'b')])
    expect(paths).toEqual(['pages/a--a.md', 'pages/a--a/b--b.md', 'pages/a--a/b--b/c--c.md'])
    expect(issues).toEqual([])
  })

  test('thousands of pages in a chain are all written, starting again at the top, and listed', () => {
    const chain = Array.from({ length: 5000 }, (_, index) => head(`p${index}`, index === 0 ? null : `p${index - 1}`))
    const { paths, issues } = place(chain)
    expect(new Set(paths).size).toBe(5000)
    expect(Math.max(...paths.map((path) => path.split('/').length))).toBe(33)
    expect(issues.length).toBe(Math.floor(4999 / 32))
    expect(issues[0]).toEqual({
      pid: 'p',
      stream: 'pages',
      record_key: 'p32',
      field: 'parent_id',
      kind: 'path_too_long',
      original: '"p31"',
    })
  })

  // Unique and legal paths that stay as others come and go, by all namings: any-names.test.ts.
  test('the order in which pages come does not matter', () => {
    fc.assert(
      fc.property(heads, (heads) => {
        const forwards = place(heads)
        const backwards = place(heads.toReversed())
        for (const [id, index] of forwards.indexes) {
          expect(backwards.paths[backwards.indexes.get(id) ?? -1]).toBe(forwards.paths[index])
        }
      }),
    )
  })
})
