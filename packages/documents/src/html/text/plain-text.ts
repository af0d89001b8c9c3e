import type { Nodes } from 'hast'
import { oneLine } from '../../one-line.ts'

/** Inline elements: no space separates them from the text around them. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
)

/** The text of a tree on one line, for the search. Not recursive: trees can be deep. */
export function plainText(tree: Nodes): string {
  const pieces: string[] = []
  const stack: (Nodes | string)[] = [tree]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') pieces.push(next)
    else if (next.type === 'text') pieces.push(next.value)
    else if (next.type === 'root' || next.type === 'element') {
      const gap = next.type === 'element' && !INLINE.has(next.tagName)
      if (gap) stack.push(' ')
      for (let index = next.children.length - 1; index >= 0; index--) stack.push(next.children[index] ?? '')
      if (gap) stack.push(' ')
    }
  }
  return oneLine(pieces.join(''))
}
