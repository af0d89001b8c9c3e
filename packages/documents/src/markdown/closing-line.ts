import { defineMdastPlugin, markdownToHtml } from 'satteri'
import { isWithinParseBudget } from './parse-budget.ts'
import { FEATURES, prepared } from './satteri.ts'

/** Matches every text that may leave something open, and others. */
const MAY_STAY_OPEN = /```|~~~|<[!?]|<(?:script|pre|style|textarea)/i

/** A paragraph behind a blank line: only an open code fence or HTML block continues over it. */
const PROBE = '\n\nx'

/** The beginnings of such blocks, and what ends them; `null`: the fence itself. */
const ENDS: readonly (readonly [begin: RegExp, end: string | null])[] = [
  [/^ {0,3}(`{3,}|~{3,})/, null],
  [/^ {0,3}<!--/, '-->'],
  [/^ {0,3}<\?/, '?>'],
  [/^ {0,3}<!\[CDATA\[/, ']]>'],
  [/^ {0,3}<!/, '>'],
  [/^ {0,3}<pre/, '</pre>'],
]

/** A text, followed by a line that closes a code fence or an HTML block if the text leaves one open. */
export function closed(text: string): string {
  return withEnd(text, openEnd(text))
}

/** The same for HTML only, for places that close a code fence by themselves, such as quotes. */
export function withClosedHtml(text: string): string {
  const end = openEnd(text)
  return withEnd(text, end?.endsWith('>') ? end : null)
}

function withEnd(text: string, end: string | null): string {
  return end === null ? text : text + (/[\r\n]$/.test(text) ? '' : '\n') + end
}

/** The line that closes the block that a text leaves open; `null` if it leaves none open. */
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

/** In CommonMark, the end tag of any of these ends the block of any other. satteri 0.10 requires the same tag, in lower case. */
const LONG_TAG = /(<\/?)(?:script|pre|style|textarea)(?![\w-])/gi

/** Quotes and lists in one another. */
const NESTED = /^([ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t]))(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t]))+/gm

/** Characters without a meaning for blocks, unless they begin a line; `&` never has one. */
const WITHIN_LINE = /[\][*_~\\:@.|]/g

/** UTF-16 units that a line begins with. */
const BEGINNING = 40

/** A text with the same blocks. If it exceeds the parse budget, which no author's text does, parts that are slow to parse are left out. */
function outlineOf(text: string): string {
  const outline = prepared(text).source.replace(LONG_TAG, '$1pre')
  if (isWithinParseBudget(outline)) return outline
  const lines = outline.replace(NESTED, '$1').replaceAll('&', 'x').split('\n')
  return lines.map((line) => line.slice(0, BEGINNING) + line.slice(BEGINNING).replace(WITHIN_LINE, 'x')).join('\n')
}
