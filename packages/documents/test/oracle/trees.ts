import { isDeepStrictEqual } from 'node:util'
import { HtmlRenderer, Parser } from 'commonmark'
import { decodeHTML } from 'entities'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { markdownToMdast } from 'satteri'
import { FEATURES, prepared } from '../../src/markdown/satteri.ts'

/** A node of a tree without its place in the text. Addresses that a rewriter may replace are `OURS`. */
export interface TreeNode {
  readonly type: string
  readonly [about: string]: unknown
  readonly children?: readonly TreeNode[]
}

/** Whether a rewriter may replace an address, or has written it. */
export type IsOurs = (url: string) => boolean

const OURS = 'ours:'

/** An opening tag as CommonMark defines it, and the values of its attributes. */
const OPEN_TAG = /<[A-Za-z][A-Za-z\d-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/g
const VALUE = /=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)/g

/**
 * micromark 4 differs from CommonMark: it ends an attribute's value without quotes at a slash, and does not end CDATA at `]]]>`. These
 * characters replace the slash and the bracket while it reads.
 */
const [SLASH, BRACKET] = ['\uE000', '\uE001']

/**
 * The reference implementation differs from CommonMark: in HTML it reads any white space as a space, a tab does not end a definition, and it
 * keeps a byte order mark. So a letter replaces other white space, a space replaces tabs at the end of a line, and the mark is removed.
 */
function forReference(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/[^\S \t\r\n]/g, 'é')
    .replace(/[ \t]*\t(?=[\r\n]|$)/g, ' ')
}

function forMicromark(text: string): string {
  return text
    .replace(OPEN_TAG, (tag) =>
      tag.replace(VALUE, (value) => (/["']$/.test(value) ? value : value.replaceAll('/', SLASH))),
    )
    .replace(
      /(<!\[CDATA\[[\s\S]*?)(\]+)(?=\]\]>)/g,
      (_, data: string, brackets: string) => data + BRACKET.repeat(brackets.length),
    )
}

function asWritten(read: string): string {
  return read.replaceAll(SLASH, '/').replaceAll(BRACKET, ']')
}

function mdastOf(text: string): Nodes {
  return fromMarkdown(forMicromark(text), { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
}

/** The HTML of a text by micromark, with GitHub's extensions. */
export function gfmHtmlOf(text: string): string {
  const html = micromark(forMicromark(text), {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  })
  return asWritten(html.replaceAll(encodeURIComponent(SLASH), '/'))
}

/**
 * The tree of a text by mdast and micromark, with GitHub's extensions. A link whose text is its own address is plain text in it, because
 * parsers disagree where a bare address ends.
 */
export function gfmTree(text: string, isOurs: IsOurs): TreeNode {
  return ofMdast(mdastOf(text), isOurs, asWritten)
}

/** The same by the reference implementation of CommonMark, which has no extensions. */
export function commonmarkTree(text: string, isOurs: IsOurs): TreeNode {
  return ofCommonmark(new Parser().parse(forReference(text)), isOurs)
}

/** The same by satteri, the parser of the product, with the features that the product uses. */
export function satteriTree(text: string, isOurs: IsOurs): TreeNode {
  const { source, written } = prepared(text)
  return ofMdast(markdownToMdast(source, { features: FEATURES }), isOurs, written)
}

/** Whether both implementations read a text in the same way, without GitHub's extensions. If they disagree, neither can be the oracle. */
export function doReadersAgree(text: string): boolean {
  const html = new HtmlRenderer().render(new Parser().parse(forReference(text)))
  const other = micromark(forMicromark(forReference(text)), { allowDangerousHtml: true })
  return comparableHtml(html) === comparableHtml(asWritten(other.replaceAll(encodeURIComponent(SLASH), '/')))
}

/**
 * Whether satteri 0.10, the parser of the product, reads a text as micromark 4 does, apart from white space: each misreads a few of the broken
 * texts. How few is tested where both are compared.
 */
export function isReadAlike(text: string): boolean {
  const [ours, theirs] = [satteriTree, gfmTree].map((treeOf) => comparableTree(treeOf(text, () => false)))
  return isDeepStrictEqual(ours, theirs)
}

function comparableTree({ spread: _, children, ...node }: TreeNode): TreeNode {
  const about = Object.entries(node).map(([name, value]) => {
    return [name, typeof value === 'string' ? value.replace(/\s+/g, '').replaceAll('\0', '\uFFFD') || null : value]
  })
  return { ...Object.fromEntries(about), ...(children && { children: children.map(comparableTree) }) }
}

function comparableHtml(html: string): string {
  return html
    .replace(/\s*\/>/g, '>')
    .replace(/\s+/g, '')
    .replaceAll('\0', '\uFFFD')
}

/** The text without its markup, as micromark reads it, with U+0000 between nodes. */
export function visibleText(text: string): string {
  return shown(mdastOf(text))
}

function shown(node: Nodes): string {
  if (node.type === 'html') return ''
  if ('children' in node) return node.children.map(shown).join('\0')
  return 'value' in node ? asWritten(node.value) : 'alt' in node ? (node.alt ?? '') : ''
}

function ofMdast(node: Nodes, isOurs: IsOurs, written: (read: string) => string): TreeNode {
  const about: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(node)) {
    if (name !== 'position' && value !== null && value !== undefined)
      about[name] = typeof value === 'string' ? written(value) : value
  }
  if (node.type === 'link' || node.type === 'definition') about['url'] = marked(written(node.url), isOurs)
  if (node.type === 'html') about['value'] = htmlWithMarks(written(node.value), isOurs)
  if (!('children' in node)) return { ...about, type: node.type }
  const children = merged(node.children.map((child) => ofMdast(child, isOurs, written)))
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

/** A node of the reference implementation, which has no type declarations. */
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
