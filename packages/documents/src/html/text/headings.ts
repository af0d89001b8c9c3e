import GithubSlugger from 'github-slugger'
import type { Element, Nodes, Root } from 'hast'
import { oneLine } from '../../one-line.ts'
import { plainText } from './plain-text.ts'
import { walk } from './walk.ts'

/** A heading of a text, for its table of contents. */
export interface Heading {
  readonly id: string
  readonly level: 2 | 3
  readonly title: string
}

const HEADING = /^h([1-6])$/

const slugs = new GithubSlugger()

/** Gives headings an id, and moves all of them one level down if there is an `h1`, which is reserved for the title of the page. */
export function nameAndLowerHeadings(tree: Root): void {
  const headings: { readonly node: Element; readonly level: number }[] = []
  walk(tree, (node) => {
    const level = HEADING.exec(node.tagName)?.[1]
    if (level !== undefined) headings.push({ node, level: Number(level) })
  })
  const lower = headings.some(({ level }) => level === 1) ? 1 : 0
  slugs.reset()
  for (const { node, level } of headings) {
    node.tagName = `h${Math.min(6, level + lower)}`
    node.properties['id'] ||= slugs.slug(textIn(node))
  }
}

/** All text below a node. */
function textIn(node: Nodes): string {
  return node.type === 'text' ? node.value : 'children' in node ? node.children.map(textIn).join('') : ''
}

/** Removes a leading `h1` that repeats the title. */
export function dropTitle(tree: Root, title: string | null): void {
  const index = tree.children.findIndex((node) => node.type === 'element')
  const first = tree.children[index]
  if (first?.type !== 'element' || first.tagName !== 'h1') return
  if (plainText(first) !== oneLine(title ?? '')) return
  const next = tree.children[index + 1]
  const isLineBreak = next?.type === 'text' && next.value.trim() === ''
  tree.children.splice(index, isLineBreak ? 2 : 1)
}

/** The headings of levels 2 and 3 that have an id. */
export function headingsOf(tree: Root): Heading[] {
  const headings: Heading[] = []
  walk(tree, (node, index) => {
    const id = node.properties['id']
    const level = node.tagName === 'h2' ? 2 : node.tagName === 'h3' ? 3 : null
    if (level === null) return undefined
    const title = plainText(node)
    if (typeof id === 'string' && title !== '') headings.push({ id, level, title })
    return index + 1
  })
  return headings
}
