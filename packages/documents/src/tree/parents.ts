import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Head } from './head.ts'

/** Why a page is not placed under the page that it names as its parent. */
type ParentProblem = 'parent_missing' | 'parent_cycle'

export interface Parents {
  /** For each head the index of its parent, -1 at the top. Following it always ends. */
  readonly parents: Int32Array
  /** Indexes of heads that were put at the top. */
  readonly problems: readonly { readonly index: number; readonly kind: ParentProblem }[]
}

const TOP = -1
const UNSEEN = 0
const DONE = 1

/**
 * Resolves parent ids. A page whose parent is not among the heads goes to the top; pages that are each other's parent
 * are cut at the smallest id of their circle (by bytes), which goes to the top with the rest of the circle under it.
 */
export function resolveParents(heads: readonly Head[]): Parents {
  const indexes = new Map(heads.map((head, index) => [head.id, index]))
  const parents = new Int32Array(heads.length).fill(TOP)
  const problems: { index: number; kind: ParentProblem }[] = []
  for (const [index, head] of heads.entries()) {
    if (head.parentId === null) continue
    const parent = indexes.get(head.parentId)
    if (parent === undefined) problems.push({ index, kind: 'parent_missing' })
    else parents[index] = parent
  }
  for (const index of smallestOfEachCircle(heads, parents)) {
    parents[index] = TOP
    problems.push({ index, kind: 'parent_cycle' })
  }
  return { parents, problems: problems.sort((a, b) => a.index - b.index) }
}

/** Walks up from every head; each is visited once, at any depth. */
function smallestOfEachCircle(heads: readonly Head[], parents: Int32Array): number[] {
  const found: number[] = []
  // 0 unseen, 1 done, else 2 + the head from which the walk under way came by.
  const states = new Uint32Array(heads.length)
  for (let start = 0; start < heads.length; start++) {
    const mark = start + 2
    let at = start
    while (at !== TOP && states[at] === UNSEEN) {
      states[at] = mark
      at = parents[at] ?? TOP
    }
    if (at !== TOP && states[at] === mark) found.push(smallestOf(circleFrom(at, parents), heads))
    for (let done = start; done !== TOP && states[done] === mark; done = parents[done] ?? TOP) states[done] = DONE
  }
  return found
}

function circleFrom(start: number, parents: Int32Array): number[] {
  const circle = [start]
  for (let at = parents[start] ?? TOP; at !== start && at !== TOP; at = parents[at] ?? TOP) circle.push(at)
  return circle
}

function smallestOf(circle: readonly number[], heads: readonly Head[]): number {
  const idOf = (index: number) => heads[index]?.id ?? ''
  return circle.reduce((smallest, index) => (compareBytes(idOf(index), idOf(smallest)) < 0 ? index : smallest))
}
