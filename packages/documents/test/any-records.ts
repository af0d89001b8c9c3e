import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { anyId, anyTitle } from '@collab-etl/harness/hostile-texts'
import fc from 'fast-check'
import type { RowSource } from '../src/row.ts'

/** A page or post, as far as its place depends on it. */
export interface Placed {
  readonly kind: 'page' | 'post'
  readonly pid: string
  readonly id: string
  readonly parentId: string | null
  readonly title: string | null
}

export interface World {
  readonly projects: readonly { readonly pid: string; readonly title: string | null }[]
  readonly records: readonly Placed[]
}

const ids = (maxLength: number) => fc.uniqueArray(anyId, { maxLength })

/** Projects with forests of pages: orphans, circles, long chains of long titles, siblings of one name; and posts. */
export const world: fc.Arbitrary<World> = fc.uniqueArray(anyId, { minLength: 1, maxLength: 3 }).chain((pids) =>
  fc.record({
    projects: fc.tuple(...pids.map((pid) => fc.record({ pid: fc.constant(pid), title: anyTitle }))),
    records: fc.tuple(...pids.flatMap((pid) => [pagesOf(pid), postsOf(pid)])).map((lists) => lists.flat()),
  }),
)

function pagesOf(pid: string): fc.Arbitrary<Placed[]> {
  return ids(20).chain((all) =>
    fc.tuple(
      ...all.map((id) =>
        fc.record({
          kind: fc.constant('page' as const),
          pid: fc.constant(pid),
          id: fc.constant(id),
          title: anyTitle,
          parentId: fc.oneof(fc.constant(null), { weight: 3, arbitrary: fc.constantFrom('gone', ...all) }),
        }),
      ),
    ),
  )
}

function postsOf(pid: string): fc.Arbitrary<Placed[]> {
  return ids(6).chain((all) =>
    fc.tuple(
      ...all.map((id) =>
        fc.record({
          kind: fc.constant('post' as const),
          pid: fc.constant(pid),
          id: fc.constant(id),
          title: anyTitle,
          parentId: fc.constant(null),
        }),
      ),
    ),
  )
}

/** A source of these records. */
export function sourceOf({ records }: World): RowSource {
  const sorted = records.toSorted((a, b) => compareBytes(a.pid, b.pid) || compareBytes(a.id, b.id))
  return {
    async *rows(table, { pid: wanted }) {
      for (const { kind, pid, id, title: name, parentId: parent_id } of sorted) {
        if (pid === wanted && `${kind}s` === table) yield { pid, [`${kind}_id`]: id, name, parent_id }
      }
    },
  }
}
