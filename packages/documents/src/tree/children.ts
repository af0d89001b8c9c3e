import { compareBytes } from '@collab-etl/contract/compare-bytes'

interface Tree {
  idAt(index: number): string
  titleAt(index: number): string | null
  /** The index of each record's parent, -1 at the top. */
  readonly parents: Int32Array
}

/** Indexes of the children of each record; those at the top are the children of -1. */
export type Children = ReadonlyMap<number, number[]>

/** The children of each record, in the order of their indexes. */
export function childrenOf(parents: Int32Array): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const [index, parent] of parents.entries()) {
    const siblings = children.get(parent)
    if (siblings) siblings.push(index)
    else children.set(parent, [index])
  }
  return children
}

/** The children of each record, by title. */
export function childrenByTitle(tree: Tree): Children {
  const children = childrenOf(tree.parents)
  for (const [parent, siblings] of children) {
    const titled = siblings.map((index) => ({ index, title: tree.titleAt(index) ?? '', id: tree.idAt(index) }))
    titled.sort((a, b) => compareBytes(a.title, b.title) || compareBytes(a.id, b.id))
    children.set(
      parent,
      titled.map(({ index }) => index),
    )
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
