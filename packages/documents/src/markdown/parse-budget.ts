/** UTF-16 units of a text that is always parsed: even the worst one takes less than half a second. */
const MAX_FREE_LENGTH = 10_000

/** Lines, words and paragraphs up to this length are cheap to parse. */
const MAX_CHEAP_LENGTH = 1_000

/** Most characters that the parser may read again or copy for one text: about one second and 100 MB. */
const MAX_WORK = 400_000_000

/** Characters that may end plain text. At each, the parser counts the columns from the start of the line. */
const MARKUP = /[\][<>*_~`&!\\:@.|]/g

/** Starts and parts of bare addresses. At each, the parser searches for the end of the host name. */
const ADDRESS_PARTS = /_|www\.|:\/\//g

const CHARACTER_REFERENCE = /&#?\w+;/g

const BLANK_LINE = /(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)/

/** A line that starts with 100 nested quotes or lists; they take quadratic time. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){100}|^[ \t]{200,}(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])/m

/**
 * Whether a Markdown text can be parsed in about linear time and memory. satteri 0.10 takes quadratic time or memory for four kinds of
 * text: deeply nested quotes and lists, markup in long non-ASCII lines, bare addresses in long words, and character
 * references in long paragraphs. The work is estimated by counting, so that the result for a text is always the same.
 */
export function isWithinParseBudget(text: string): boolean {
  if (text.length <= MAX_FREE_LENGTH) return true
  if (TOO_DEEP.test(text)) return false
  let work = 0
  for (const line of text.split(/[\r\n]+/)) {
    if (line.length <= MAX_CHEAP_LENGTH) continue
    if (/[^\0-\x7f]/.test(line)) work += (line.length * count(line, MARKUP)) / 4
    for (const word of line.split(/[ \t]+/)) {
      if (word.length > MAX_CHEAP_LENGTH) work += word.length * count(word, ADDRESS_PARTS) * 4
    }
  }
  for (const paragraph of text.split(BLANK_LINE)) {
    if (paragraph.length > MAX_CHEAP_LENGTH) work += (paragraph.length * count(paragraph, CHARACTER_REFERENCE)) / 4
  }
  return work <= MAX_WORK
}

/** UTF-16 units of the longest text that is rendered: the tree of a text full of markup takes 1,000 times its size. */
const MAX_RENDERED_LENGTH = 300_000

/** Most open HTML elements, counted by start and end tags of the same name. Nested elements take quadratic time. */
const MAX_OPEN_ELEMENTS = 5_000

/** Most cells of the tables of a text. Short rows are filled up to the number of columns. */
const MAX_CELLS = 500_000

const TAG = /<(\/?)([a-z][a-z\d-]*)/gi

/** Lines that may separate the head of a table from its rows. */
const TABLE_RULE = /^[ \t>|:-]+$/gm

/** Whether a Markdown text can be rendered as HTML in reasonable time and memory. */
export function isWithinRenderBudget(text: string): boolean {
  if (text.length > MAX_RENDERED_LENGTH || !isWithinParseBudget(text)) return false
  return openElements(text) <= MAX_OPEN_ELEMENTS && mostCells(text) <= MAX_CELLS
}

function openElements(text: string): number {
  const open = new Map<string, number>()
  let sum = 0
  for (const [, slash, name = ''] of text.matchAll(TAG)) {
    const key = name.toLowerCase()
    const before = open.get(key) ?? 0
    const change = slash === '' ? 1 : before > 0 ? -1 : 0
    open.set(key, before + change)
    sum += change
    if (sum > MAX_OPEN_ELEMENTS) break
  }
  return sum
}

function mostCells(text: string): number {
  let columns = 0
  for (const [rule] of text.matchAll(TABLE_RULE)) columns = Math.max(columns, count(rule, /\|/g))
  return columns * count(text, /[\r\n]/g)
}

function count(text: string, pattern: RegExp): number {
  pattern.lastIndex = 0
  let found = 0
  while (pattern.test(text)) found++
  return found
}
