import { defineMdastPlugin, markdownToHtml } from 'satteri'
import { isWithinParseBudget } from './parse-budget.ts'
import { FEATURES, prepared } from './satteri.ts'

/** What every text that may leave something open holds. */
const MAY_STAY_OPEN = /```|~~~|<[!?]|<(?:script|pre|style|textarea)/i

/** A paragraph behind a blank line: only an open code fence or HTML block continues over it. */
const PROBE = '\n\nx'

/** The beginning of a block that does, and what ends it. */
const ENDS: readonly (readonly [begin: RegExp, end: string | null])[] = [
  [/^ {0,3}(`{3,}|~{3,})/, null],
  [/^ {0,3}<!--/, '-->'],
  [/^ {0,3}<\?/, '?>'],
  [/^ {0,3}<!\[CDATA\[/, ']]>'],
  [/^ {0,3}<!/, '>'],
  [/^ {0,3}<pre/, '</pre>'],
]

/** A text with the line behind it that ends a code fence or an HTML block which the text leaves open; most texts leave none. */
export function closed(text: string): string {
  return withEnd(text, openEnd(text))
}

/** The same for HTML alone, in what ends a code fence by itself. */
export function withClosedHtml(text: string): string {
  const end = openEnd(text)
  return withEnd(text, end?.endsWith('>') ? end : null)
}

function withEnd(text: string, end: string | null): string {
  return end === null ? text : text + (/[\r\n]$/.test(text) ? '' : '\n') + end
}

/** What ends the block that a text leaves open; `null` if it leaves none. */
function openEnd(text: string): string | null {
  if (!MAY_STAY_OPEN.test(text)) return null
  const source = outlineOf(text) + PROBE
  let start: number | undefined
  const plugin = defineMdastPlugin({
    name: 'last-block',
    options: { position: true },
    after: (root, context) => {
      const last = root.children.at(-1)
      if (last?.type === 'code' || last?.type === 'html') start = last.position?.start.offset
      context.replaceNode(root, { type: 'root', children: [] })
    },
  })
  markdownToHtml(source, { features: FEATURES, mdastPlugins: [plugin] })
  if (start === undefined) return null
  const block = source.slice(source.startsWith('\uFEFF') ? start + 1 : start)
  for (const [begin, end] of ENDS) {
    const [, fence] = begin.exec(block) ?? []
    if (begin.test(block)) return end ?? fence ?? null
  }
  return null
}

/** The tags of which any ends what any has begun. satteri 0.10 wants the same one, in lower case. */
const LONG_TAG = /(<\/?)(?:script|pre|style|textarea)(?![\w-])/gi

/** Quotes and lists in one another. */
const NESTED = /^([ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t]))(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t]))+/gm

/** Characters without a meaning for blocks, unless they begin a line; `&` never has one. */
const WITHIN_LINE = /[\][*_~\\:@.|]/g

/** UTF-16 units that a line begins with. */
const BEGINNING = 40

/** A text with the same blocks. What takes the parser long is left out of a text that exceeds the parse budget, which no author writes. */
function outlineOf(text: string): string {
  const outline = prepared(text).source.replace(LONG_TAG, '$1pre')
  if (isWithinParseBudget(outline)) return outline
  const lines = outline.replace(NESTED, '$1').replaceAll('&', 'x').split('\n')
  return lines.map((line) => line.slice(0, BEGINNING) + line.slice(BEGINNING).replace(WITHIN_LINE, 'x')).join('\n')
}
