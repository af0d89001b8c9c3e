import type { Nodes, Root } from 'hast'
import { raw } from 'hast-util-raw'
import { sanitize } from 'hast-util-sanitize'
import { toHtml } from 'hast-util-to-html'
import { type Features, markdownToHast } from 'satteri'
import { isWithinRenderBudget } from '../../markdown/parse-budget.ts'
import { FEATURES, prepared } from '../../markdown/satteri.ts'
import { html, Markup } from '../markup.ts'
import { type Direction, setDirections } from './direction.ts'
import { dropTitle, type Heading, headingsOf, nameAndLowerHeadings } from './headings.ts'
import { highlightCode } from './highlight.ts'
import { type LinkTo, prefixIds, resolveLinks } from './links.ts'
import { alignByClass, alignCellsAndNameBoxes, mediaToLinks, scrollWide } from './media-links.ts'
import { plainText } from './plain-text.ts'
import { SCHEMA } from './sanitize-schema.ts'

/** Deepest tree that is sanitized and printed: both recurse. Browsers flatten trees deeper than 512. */
const MAX_DEPTH = 1_000

/** Most nodes of a tree: each takes up to 1 KB. A text of the greatest length with a link every 14 characters has 65,000. */
const MAX_NODES = 120_000

/** Ids get a prefix of their text later, see `prefixIds`. */
const RENDERED: Features = { ...FEATURES, gfm: { footnotes: { clobberPrefix: '' } } }

export interface TextToRender {
  readonly text: string
  /** Prefix of all ids, unique among the texts of a page. */
  readonly idPrefix: string
  /** The heading above the text: a first heading with the same words is left out. */
  readonly title: string | null
  readonly linkTo: LinkTo
}

export interface RenderedText {
  readonly markup: Markup
  readonly headings: readonly Heading[]
  /** For the element around it. */
  readonly dir: Direction | 'auto'
  /** On one line, for the search. */
  readonly plain: string
  /** Whether the text is shown as written because it exceeds the parse budget. */
  readonly isRaw: boolean
}

/** Characters that HTML forbids. */
const FORBIDDEN = /[[\p{Cc}\p{Noncharacter_Code_Point}]--[\t\n\r]]/gv

/** Renders Markdown (GitHub's flavour, with harmless HTML in it kept) as HTML in which nothing can run or load. */
export async function renderText({ text, idPrefix, title, linkTo }: TextToRender): Promise<RenderedText> {
  const tree = isWithinRenderBudget(text) ? safeTree(text) : null
  if (tree === null) return asWritten(text)
  dropTitle(tree, title)
  nameAndLowerHeadings(tree)
  prefixIds(tree, idPrefix)
  await resolveLinks(tree, idPrefix, linkTo)
  const dir = setDirections(tree, text)
  alignByClass(tree)
  scrollWide(tree)
  const [headings, plain] = [headingsOf(tree), plainText(tree)]
  await highlightCode(tree)
  return { markup: new Markup(toHtml(tree).replace(FORBIDDEN, ' ')), headings, dir, plain, isRaw: false }
}

/** The words of a Markdown text on one line, without its marks. */
export function wordsOf(text: string): string {
  const tree = isWithinRenderBudget(text) ? safeTree(text) : null
  return tree === null ? text : plainText(tree)
}

/** The sanitized tree of a text; `null` if it is too large. */
function safeTree(text: string): Root | null {
  const { source, written } = prepared(text.replaceAll('\0', '\uFFFD'))
  const tree = treeWithHtml(markdownToHast(source, { features: RENDERED, position: false }), written)
  if (tree?.type !== 'root') return null
  mediaToLinks(tree)
  alignCellsAndNameBoxes(tree)
  const safe = sanitize(tree, SCHEMA)
  return safe.type === 'root' ? safe : { type: 'root', children: [safe] }
}

/** The tree with its HTML parsed. The parser's own option for this ends unclosed elements at the end of the text, not of their block. */
function treeWithHtml(tree: Nodes, written: (read: string) => string): Nodes | null {
  const found = measured(tree, (node) => {
    if ('value' in node) node.value = written(node.value)
    else if (node.type === 'element' && typeof node.properties['href'] === 'string')
      node.properties['href'] = written(node.properties['href'])
  })
  if (found.isTooLarge) return null
  // Parsing HTML takes as long as all the rest: most texts hold none.
  if (!found.holdsHtml) return tree
  try {
    const parsed = raw(tree)
    return measured(parsed).isTooLarge ? null : parsed
  } catch (error) {
    // Thousands of nested elements exceed the call stack.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** `onNode` is called with each node, until there are too many. */
function measured(
  tree: Nodes,
  onNode: (node: Nodes) => void = () => {},
): { readonly isTooLarge: boolean; readonly holdsHtml: boolean } {
  const stack: { readonly node: Nodes; readonly depth: number }[] = [{ node: tree, depth: 0 }]
  let nodes = 0
  let holdsHtml = false
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth } = next
    if (depth > MAX_DEPTH || ++nodes > MAX_NODES) return { isTooLarge: true, holdsHtml }
    holdsHtml ||= node.type === 'raw'
    onNode(node)
    if ('children' in node) for (const child of node.children) stack.push({ node: child, depth: depth + 1 })
  }
  return { isTooLarge: false, holdsHtml }
}

function asWritten(text: string): RenderedText {
  return {
    markup: html`<pre class="raw" tabindex="0">${text}</pre>`,
    headings: [],
    dir: 'auto',
    plain: text,
    isRaw: true,
  }
}
