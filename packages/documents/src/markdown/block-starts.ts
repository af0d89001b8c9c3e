/** Whether a line is the last of a block. */
export type IsLast = (line: string) => boolean

const OPENING_FENCE = /^(?:(`{3,})[^`]*|(~{3,})[\s\S]*)$/
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
const HEADING = /^#{1,6}(?:[ \t]|$)/
const RULE = /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const MARKER = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/
const TAG = /^<\/?[a-z][a-z\d-]*(?:[ \t/>]|$)/i

/** HTML that may hold blank lines: how it begins, and what the line holds in which it ends, which may share some of its beginning. */
const LONG_HTML = [
  { begins: /^<(?:script|pre|style|textarea)(?=[ \t>]|$)/i, ends: /<\/(?:script|pre|style|textarea)>/i, shared: 0 },
  { begins: /^<!--/, ends: /-->/, shared: 2 },
  { begins: /^<\?/, ends: /\?>/, shared: 1 },
  { begins: /^<![a-z]/i, ends: />/, shared: 0 },
  // micromark takes an even number of brackets alone for the end: none is looked for.
  { begins: /^<!\[CDATA\[/, ends: /^(?!)/, shared: 0 },
] as const

/** Spaces behind the marker of an item that belong to it; behind more, its text is code. */
const MAX_ITEM_SPACES = 4

/** Fenced code that begins with a line, which is given without the space before it, as in all of these. */
export function fenceIn(line: string): IsLast | null {
  const opening = OPENING_FENCE.exec(line)
  const fence = opening?.[1] ?? opening?.[2]
  return fence === undefined ? null : (last) => CLOSING_FENCE.exec(last)?.[1]?.startsWith(fence) ?? false
}

/** HTML that begins with a line and goes on over blank ones; `whole` if it ends in the same line. */
export function longHtmlIn(line: string): IsLast | 'whole' | null {
  for (const { begins, ends, shared } of LONG_HTML) {
    const begun = begins.exec(line)
    if (begun) return ends.test(line.slice(begun[0].length - shared)) ? 'whole' : (last) => ends.test(last)
  }
  return null
}

/** Whether HTML may begin with a line that a blank one ends. */
export function mayBeHtml(line: string): boolean {
  return TAG.test(line)
}

/** Whether a line is a heading or a rule, which end with it; `---` may be the line under a heading as well. */
export function isHeadingOrRule(line: string): boolean {
  return HEADING.test(line) || RULE.test(line)
}

/** What a line may begin if it is the item of a list. */
export interface ItemStart {
  /** Columns from the marker to its text; the least there may be, where that is not known. */
  readonly width: number
  readonly isWidthKnown: boolean
  /** Whether it can begin in a paragraph. */
  readonly interrupts: boolean
}

export function itemIn(line: string): ItemStart | null {
  const found = MARKER.exec(line)
  if (!found) return null
  const [marker, number = '1'] = found
  // Where nothing follows, a blank line ends it; what a tab is worth depends on its place.
  const spaces = /^ *(?=[^ \t])/.exec(line.slice(marker.length))?.[0].length
  const isWidthKnown = spaces !== undefined
  return {
    width: marker.length + (isWidthKnown && spaces <= MAX_ITEM_SPACES ? spaces : 1),
    isWidthKnown,
    interrupts: isWidthKnown && number === '1',
  }
}
