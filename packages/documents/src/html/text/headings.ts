import type { Element, Root } from 'hast'
import { SKIP, visit } from 'unist-util-visit'
import { plainText } from './plain-text.ts'

/** A heading of a text, for its table of contents. */
export interface Heading {
  readonly id: string
  readonly level: 2 | 3
  readonly title: string
}

const HEADING = /^h([1-6])$/

/** Moves all headings one level down if there is an `h1`, which is reserved for the title of the page. */
export function lowerHeadings(tree: Root): void {
  const headings: { readonly node: Element; readonly level: number }[] = []
  visit(tree, 'element', (node) => {
    const level = HEADING.exec(node.tagName)?.[1]
    if (level !== undefined) headings.push({ node, level: Number(level) })
  })
  if (!headings.some(({ level }) => level === 1)) return
  for (const { node, level } of headings) node.tagName = `h${Math.min(6, level + 1)}`
}

/** Removes a leading `h1` that repeats the title. */
export function dropTitle(tree: Root, title: string | null): void {
  const index = tree.children.findIndex((node) => node.type === 'element')
  const first = tree.children[index]
  if (first?.type !== 'element' || first.tagName !== 'h1') return
  if (plainText(first) !== (title ?? '').replace(/\s+/g, ' ').trim()) return
  const next = tree.children[index + 1]
  const isLineBreak = next?.type === 'text' && next.value.trim() === ''
  tree.children.splice(index, isLineBreak ? 2 : 1)
}

/** The headings of levels 2 and 3 that have an id. */
export function headingsOf(tree: Root): Heading[] {
  const headings: Heading[] = []
  visit(tree, 'element', (node: Element) => {
    const id = node.properties['id']
    const level = node.tagName === 'h2' ? 2 : node.tagName === 'h3' ? 3 : null
    if (level === null) return undefined
    const title = plainText(node)
    if (typeof id === 'string' && title !== '') headings.push({ id, level, title })
    return SKIP
  })
  return headings
}
