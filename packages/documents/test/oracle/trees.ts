import { Parser } from 'commonmark'
import { decodeHTML } from 'entities'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/** A node of a tree without its place in the text. Addresses that a rewriter may replace are `OURS`. */
export interface TreeNode {
  readonly type: string
  readonly [about: string]: unknown
  readonly children?: readonly TreeNode[]
}

/** Whether a rewriter may replace an address, or has written it. */
export type IsOurs = (url: string) => boolean

const OURS = 'ours:'

/** Against CommonMark, micromark 4 ends a value without quotes at a slash, and does not end character data at `]]]>`. */
export function isMisreadByMicromark(text: string): boolean {
  return /<[a-z][^<]*=[^\s"'<]*\/|\]\]\]>/i.test(text)
}

/** Against CommonMark, the reference implementation takes any white space behind the name of such a tag. */
export function isMisreadByReference(text: string): boolean {
  return /<(?:script|pre|style|textarea)[^\S \t\r\n]/i.test(text)
}

/**
 * The tree of a text by mdast and micromark, with GitHub's extensions. A link whose text is its own address is plain text in it: where a bare
 * address ends is a matter of taste.
 */
export function gfmTree(text: string, isOurs: IsOurs): TreeNode {
  return ofMdast(fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }), isOurs)
}

/** The same by the reference implementation of CommonMark, which has no extensions. */
export function commonmarkTree(text: string, isOurs: IsOurs): TreeNode {
  return ofCommonmark(new Parser().parse(text), isOurs)
}

/** All that a reader of the same kind sees of a text, with U+0000 between nodes. */
export function visibleText(text: string): string {
  return shown(fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }))
}

function shown(node: Nodes): string {
  if (node.type === 'html') return ''
  if ('children' in node) return node.children.map(shown).join('\0')
  return 'value' in node ? node.value : 'alt' in node ? (node.alt ?? '') : ''
}

function ofMdast({ position: _, ...node }: Nodes, isOurs: IsOurs): TreeNode {
  const about: Record<string, unknown> = { ...node }
  if (node.type === 'link' || node.type === 'definition') about['url'] = marked(node.url, isOurs)
  if (node.type === 'html') about['value'] = htmlWithMarks(node.value, isOurs)
  if (!('children' in node)) return { ...about, type: node.type }
  const children = merged(node.children.map((child) => ofMdast(child, isOurs)))
  return plainIfBare({ ...about, type: node.type, children }, about['url'])
}

function ofCommonmark(node: CommonmarkNode, isOurs: IsOurs): TreeNode {
  const { type, literal, destination, title, info, level, listType, listStart, listTight, firstChild } = node
  const url = type === 'link' ? marked(destination, isOurs) : destination
  const value = type.startsWith('html') ? htmlWithMarks(literal ?? '', isOurs) : literal
  const children: TreeNode[] = []
  for (let child = firstChild; child; child = child.next) children.push(ofCommonmark(child, isOurs))
  const about = { type, value, url, title, info, level, listType, listStart, listTight }
  return plainIfBare({ ...about, children: merged(children) }, url)
}

/** What the reference implementation says of a node; it has no types. */
interface CommonmarkNode {
  readonly type: string
  readonly literal: string | null
  readonly destination: string
  readonly title: string
  readonly info: string | null
  readonly level: number
  readonly listType: string
  readonly listStart: number
  readonly listTight: boolean
  readonly firstChild: CommonmarkNode | null
  readonly next: CommonmarkNode | null
}

function plainIfBare(node: TreeNode, url: unknown): TreeNode {
  const [only, ...others] = node.children ?? []
  if (node.type !== 'link' || only?.type !== 'text' || others.length > 0) return node
  const value = String(only['value'])
  const isOwn = [value, `http://${value}`, `mailto:${value}`].some((own) => decoded(own) === decoded(String(url)))
  return isOwn || (url === OURS && /^(?:https?:\/\/|www\.)/i.test(value)) ? only : node
}

function merged(nodes: readonly TreeNode[]): TreeNode[] {
  const all: TreeNode[] = []
  for (const node of nodes) {
    const last = all.at(-1)
    if (node.type === 'text' && last?.type === 'text')
      all[all.length - 1] = { ...last, value: `${last['value']}${node['value']}` }
    else all.push(node)
  }
  return all
}

function marked(url: string, isOurs: IsOurs): string {
  return isOurs(decoded(url)) ? OURS : url
}

const HREF = /(\bhref\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>][^\s>]*)/gi

function htmlWithMarks(html: string, isOurs: IsOurs): string {
  return html.replace(HREF, (all, start: string, value: string) => {
    return isOurs(decodeHTML(value.replace(/^["']|["']$/g, ''))) ? `${start}"${OURS}"` : all
  })
}

function decoded(url: string): string {
  try {
    return decodeURI(url)
  } catch {
    return url
  }
}
