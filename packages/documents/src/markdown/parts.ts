import { fenceIn, type IsLast, type ItemStart, isHeadingOrRule, itemIn, longHtmlIn, mayBeHtml } from './block-starts.ts'

/** A stretch of a text, in UTF-16 units; the end is exclusive. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

export const BYTE_ORDER_MARK = '\uFEFF'

/** A line behind so many columns of space begins nothing at the top level. */
const CODE_INDENT = 4

const BLANK = /^[ \t]*$/

/** What begins anything but a paragraph at the top level. */
const BEGINS = /^[`~<>#\-+*_\d]/

/**
 * Cuts a Markdown text where no block reaches across: each part, parsed by itself, gives the blocks that it gives in the text, but
 * for definitions, which count everywhere. The parts follow each other without a gap. Takes linear time.
 *
 * It knows of blocks what a cut takes, and no more: whether fenced code or HTML is open at the top level, and by its columns of
 * space whether a line is sure to be at the top level, or sure to be in what a list has open. Where it cannot tell what a line
 * opens, the rest of the text is one part.
 */
export function* partsOf(text: string): Generator<TextPart> {
  const cutter = new Cutter()
  let part = 0
  let carriageReturn = text.indexOf('\r')
  // To micromark, the text begins behind the mark.
  for (let start = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0; start < text.length && !cutter.isLost; ) {
    if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = text.indexOf('\r', start)
    const lineFeed = text.indexOf('\n', start)
    let end = lineFeed === -1 ? text.length : lineFeed
    let next = end + 1
    if (carriageReturn !== -1 && carriageReturn < end) {
      end = carriageReturn
      next = end + (text[end + 1] === '\n' ? 2 : 1)
    }
    // A part that begins with the mark would lose it.
    if (cutter.take(text, start, end) && start > 1 && text[start] !== BYTE_ORDER_MARK) {
      yield { start: part, end: start }
      part = start
    }
    start = next
  }
  yield { start: part, end: text.length }
}

/** Goes through a text line by line. */
class Cutter {
  /** It cannot tell any more what is open. */
  isLost = false
  /** Of the fenced code or HTML that is open at the top level. */
  #isLast: IsLast | null = null
  /** A line behind fewer columns of space is at the top level. */
  #outside = CODE_INDENT
  /** A line behind so many columns, or more, begins nothing at the top level. Between the two, it may. */
  #inside = CODE_INDENT
  /** What may stand before at the top level and keep some lists from beginning; to micromark, code does, and over blank lines. */
  #before: 'paragraph' | 'code' | null = null
  /** There may be HTML at the top level that ends with a blank line: no block begins in it. */
  #mayBeInHtml = false
  /** The line before was blank, or the last of its block. */
  #isBehindEnd = true

  /** The next line, without its end; gives whether the text may be cut before it. */
  take(text: string, start: number, end: number): boolean {
    if (this.#isLast) {
      if (this.#isLast(text.slice(start, end))) this.#end()
      return false
    }
    let from = start
    while (from < end && text[from] === ' ') from += 1
    const isTab = from < end && text[from] === '\t'
    if (from === end || (isTab && BLANK.test(text.slice(from, end)))) {
      this.#isBehindEnd = true
      if (this.#before === 'paragraph') this.#before = null
      this.#mayBeInHtml = false
      return false
    }
    const indent = isTab ? CODE_INDENT : from - start
    let isFirst = false
    if (this.#isBehindEnd && indent < this.#outside) {
      const before = this.#before
      this.#end()
      this.#before = before
      isFirst = before === null
    }
    this.#isBehindEnd = false
    if (indent < this.#inside) isFirst = this.#begin(text.slice(from, end), indent) || isFirst
    else if (this.#inside === CODE_INDENT) this.#before = 'code'
    return isFirst && indent === 0
  }

  /** A line that may be at the top level, without the space before it; gives whether it ends all that is before it. */
  #begin(line: string, indent: number): boolean {
    if (!BEGINS.test(line)) return this.#goOn()
    const isSure = indent < this.#outside && !this.#mayBeInHtml
    const long = fenceIn(line) ?? longHtmlIn(line)
    if (long !== null && long !== 'whole') {
      this.#isLast = long
      this.isLost = !isSure
      return false
    }
    if (isSure && (long === 'whole' || isHeadingOrRule(line))) {
      this.#end()
      return line.startsWith('#')
    }
    const item = long === null ? itemIn(line) : null
    if (item) return this.#item(item, indent, isSure)
    if (isSure && line.startsWith('>')) this.#outside = CODE_INDENT
    if (mayBeHtml(line)) this.#mayBeInHtml = true
    return this.#goOn()
  }

  #item({ width, isWidthKnown, interrupts }: ItemStart, indent: number, isSure: boolean): boolean {
    const content = Math.min(indent + width, CODE_INDENT)
    const isInterrupting = this.#before !== null
    if (!isSure || !isWidthKnown || (isInterrupting && !interrupts)) {
      this.#outside = Math.min(this.#outside, content)
      return this.#goOn()
    }
    this.#outside = content
    this.#inside = content
    this.#before = null
    // Where it interrupts something, micromark reads what follows its marker in another way.
    return !isInterrupting
  }

  /** A line of a paragraph, a quote or a table, or of one in something that is open. */
  #goOn(): false {
    this.#inside = CODE_INDENT
    this.#before = 'paragraph'
    return false
  }

  /** Nothing is open any more. */
  #end(): void {
    this.#isLast = null
    this.#outside = CODE_INDENT
    this.#inside = CODE_INDENT
    this.#before = null
    this.#mayBeInHtml = false
    this.#isBehindEnd = true
  }
}
