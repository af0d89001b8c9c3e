import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { childrenByTitle, depthFirst } from '../tree/children.ts'
import type { Places } from '../tree/places.ts'

/** The reading order of a project's pages. */
export interface PageOrder {
  /** The pages right below one, -1 for those at the top, by their titles. */
  childrenOf(index: number): readonly number[]
  /** The pages above one, from the top down. */
  above(index: number): readonly number[]
  /** Number of siblings before a page. */
  rankOf(index: number): number
  /** The page before (`-1`) or after (`1`) one, where a page comes before those below it; `null` at both ends. */
  neighbour(index: number, step: -1 | 1): number | null
}

export function pageOrder(places: Places): PageOrder {
  const children = childrenByTitle(places)
  const ranks = ranksIn(children.values(), places.count)
  const order = new Int32Array(places.count)
  const positions = new Int32Array(places.count)
  let count = 0
  for (const { index } of depthFirst(children)) {
    order[count] = index
    positions[index] = count
    count += 1
  }
  return {
    childrenOf: (index) => children.get(index) ?? [],
    above(index) {
      const chain: number[] = []
      for (let at = places.parents[index] ?? -1; at !== -1; at = places.parents[at] ?? -1) chain.push(at)
      return chain.reverse()
    },
    rankOf: (index) => ranks[index] ?? 0,
    neighbour: (index, step) => order[(positions[index] ?? -1) + step] ?? null,
  }
}

/** The reading order of a project's posts. */
export interface PostOrder {
  /** Their indexes, the latest first. */
  readonly order: readonly number[]
  /** Number of posts before one. */
  rankOf(index: number): number
}

export function postOrder(posts: Places): PostOrder {
  const keys = Array.from({ length: posts.count }, (_, index) => {
    return { index, time: posts.updatedAt(index) ?? '', id: posts.idAt(index) }
  })
  keys.sort((a, b) => compareBytes(b.time, a.time) || compareBytes(a.id, b.id))
  const order = keys.map(({ index }) => index)
  const ranks = ranksIn([order], posts.count)
  return { order, rankOf: (index) => ranks[index] ?? 0 }
}

function ranksIn(lists: Iterable<readonly number[]>, count: number): Int32Array {
  const ranks = new Int32Array(count)
  for (const list of lists) for (const [rank, index] of list.entries()) ranks[index] = rank
  return ranks
}
