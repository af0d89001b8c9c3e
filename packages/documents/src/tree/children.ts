import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Head } from './head.ts'

interface Tree {
  readonly heads: readonly Pick<Head, 'id' | 'title'>[]
  /** The index of each record's parent, -1 at the top. */
  readonly parents: Int32Array
}

/** Indexes of the children of each record; those at the top are the children of -1. */
export type Children = ReadonlyMap<number, number[]>

/** The children of each record, in the order of their indexes. */
export function childrenOf(parents: Int32Array): Children {
  const children = new Map<number, number[]>()
  for (const [index, parent] of parents.entries()) {
    const siblings = children.get(parent)
    if (siblings) siblings.push(index)
    else children.set(parent, [index])
  }
  return children
}

/** The children of each record, by title. */
export function childrenByTitle({ heads, parents }: Tree): Children {
  const children = childrenOf(parents)
  const title = (index: number) => heads[index]?.title ?? ''
  const id = (index: number) => heads[index]?.id ?? ''
  for (const siblings of children.values()) {
    siblings.sort((a, b) => compareBytes(title(a), title(b)) || compareBytes(id(a), id(b)))
  }
  return children
}

/** Every record before its descendants. Not recursive: trees can be deep. */
export function* depthFirst(children: Children): Generator<{ readonly index: number; readonly depth: number }> {
  const stack = (children.get(-1) ?? []).map((index) => ({ index, depth: 0 })).reverse()
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next
    for (const index of (children.get(next.index) ?? []).toReversed()) stack.push({ index, depth: next.depth + 1 })
  }
}
