import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Places } from './places.ts'

/** The indexes of the children of each record, by their titles; those at the top are the children of -1. */
export function childrenOf({ heads, parents }: Places): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>()
  for (const [index, parent] of parents.entries()) {
    const siblings = children.get(parent)
    if (siblings) siblings.push(index)
    else children.set(parent, [index])
  }
  const title = (index: number) => heads[index]?.title ?? ''
  const id = (index: number) => heads[index]?.id ?? ''
  for (const siblings of children.values()) {
    siblings.sort((a, b) => compareBytes(title(a), title(b)) || compareBytes(id(a), id(b)))
  }
  return children
}
