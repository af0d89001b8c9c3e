/** UTF-16 units of a text that is always parsed: even the worst one takes less than half a second. */
const MAX_FREE_LENGTH = 10_000

/** Lines, words and paragraphs below this length cannot cost much. */
const MAX_CHEAP_LENGTH = 1_000

/**
 * Most units of work for one text, each of them a character that the parser reads once more: about one second, and 100 MB where
 * it copies them.
 */
const MAX_WORK = 400_000_000

/** Characters that may end a stretch of plain text: the parser counts columns from the start of the line at each. */
const MARKUP = /[\][<>*_~`&!\\:@.|]/g

/** Beginnings of bare addresses, and what makes the parser look for the end of a host name again. */
const ADDRESS_PARTS = /_|www\.|:\/\//g

const CHARACTER_REFERENCE = /&#?\w+;/g

const BLANK_LINE = /(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)/

/** A line that begins with a hundred quotes or lists inside one another: parsing takes quadratic time. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){100}|^[ \t]{200,}(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])/m

/**
 * Whether a Markdown text can be parsed in linear time and memory. The parser is linear but for four things, all of which appear in
 * texts made to exhaust it: containers inside one another, markup in long lines that are not ASCII, bare addresses in long
 * words, and character references in long paragraphs. The work is estimated from their counts, so that the same text is
 * always treated the same way.
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

/** UTF-16 units of a text that is rendered: the trees of one that is all markup take a thousand times its size. */
const MAX_RENDERED_LENGTH = 300_000

/** Elements of HTML open inside one another, if no tag is closed by another one. Trees of them take quadratic time. */
const MAX_OPEN_ELEMENTS = 5_000

/** Cells of the tables of a text, if its shortest row is filled up to the longest. */
const MAX_CELLS = 500_000

const TAG = /<(\/?)([a-z][a-z\d-]*)/gi

/** What may be the line below the heading of a table. */
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
