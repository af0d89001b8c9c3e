import { defineMdastPlugin, type Features, markdownToHtml } from 'satteri'
import { isWithinParseBudget } from './parse-budget.ts'

/** CommonMark with GitHub's extensions. Texts have no front matter: a rule at their beginning is a rule. */
export const FEATURES: Features = { frontmatter: false }

const OPENS_LONG_HTML = /^[ \t>*+\-\d.)]*<(?:script|pre|style|textarea)(?=[ \t>]|$)/im
const LONG_END_TAG = /<\/(?:script|pre|style|textarea)>/gi

/** An opening tag, as CommonMark has it. */
const OPEN_TAG = /<[A-Za-z][A-Za-z\d-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/g
const VALUE = /=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)/g

/** A Markdown text for the parser. */
interface PreparedText {
  readonly source: string
  /** Turns a text that the parser returned into the original one. */
  readonly written: (read: string) => string
  /** The offset in the text of an offset in the source; both in UTF-16 units. */
  readonly at: (offset: number) => number
}

/**
 * Changes what satteri 0.10 misreads in a Markdown text. It ends an unquoted value at a slash, so that `<a href=/x>` is not a tag: another
 * character replaces the slash. It finds end tags in lower case only: `</PRE>` becomes `</pre>`, which is visible in code only. It reads some
 * list items that end in a carriage return as text: line feeds replace carriage returns. For tables, see `withPlainTables`.
 */
export function prepared(text: string): PreparedText {
  const lines = text.replace(/\r(?!\n)/g, '\n')
  const lower = OPENS_LONG_HTML.test(lines) ? lines.replace(LONG_END_TAG, (tag) => tag.toLowerCase()) : lines
  if (!/=\s*[^\s"'=<>`/]*\//.test(lower)) return { ...withPlainTables(lower), written: (read) => read }
  const standIn = unusedIn(lower)
  const source = lower.replace(OPEN_TAG, (tag) =>
    tag.replace(VALUE, (value) => (/["']$/.test(value) ? value : value.replaceAll('/', standIn))),
  )
  const written = (read: string) => read.replaceAll(standIn, '/').replaceAll(encodeURIComponent(standIn), '/')
  return { ...withPlainTables(source), written }
}

/** The first private-use character that a text does not contain, not even encoded. */
function unusedIn(text: string): string {
  for (let code = 0xe000; ; code++) {
    const character = String.fromCharCode(code)
    if (!text.includes(character) && !text.includes(encodeURIComponent(character))) return character
  }
}

/** The line that separates the head of a table from its rows, the beginnings of bare addresses, and cells. */
const TABLE_RULE = /^(?=[^\r\n]*-)[-:| \t>]+$/m
const ADDRESS = /https?:\/\/|www\./i
const CELL = /(?:[^|\\\r\n]|\\[^\r\n]?)+/g

/** A tag alone on its line, which begins HTML, and what may precede it. */
const TAG_LINE = new RegExp(`^([ \\t>]*)(?:</[A-Za-z][A-Za-z\\d-]*[ \\t]*>|${OPEN_TAG.source})[ \\t]*$`, 'gm')

interface Insertion {
  readonly at: number
  readonly text: string
}

/**
 * satteri 0.10 lets a bare address in a table run beyond its cell, and reads a tag alone on its line as a row. Inserts spaces around such
 * addresses, and a blank line before such tags.
 */
function withPlainTables(text: string): Pick<PreparedText, 'source' | 'at'> {
  const insertions = mayBeMisread(text) ? tablesOf(text).flatMap((table) => insertionsIn(text, table)) : []
  const parts: string[] = []
  /** Where each insertion begins in the source, and how much is inserted before it. */
  const places: { readonly start: number; readonly before: number; readonly length: number }[] = []
  let [end, before] = [0, 0]
  for (const { at, text: inserted } of insertions) {
    parts.push(text.slice(end, at), inserted)
    places.push({ start: at + before, before, length: inserted.length })
    before += inserted.length
    end = at
  }
  const at = (offset: number) => {
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle]?.start ?? 0) < offset) low = middle + 1
      else high = middle
    }
    const last = places[low - 1]
    return last ? offset - last.before - Math.min(last.length, offset - last.start) : offset
  }
  return { source: parts.join('') + text.slice(end), at }
}

function mayBeMisread(text: string): boolean {
  if (!TABLE_RULE.test(text) || !isWithinParseBudget(text)) return false
  return text.search(TAG_LINE) !== -1 || text.split(/\s+/).some((word) => word.includes('|') && ADDRESS.test(word))
}

function tablesOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  const tables: { start: number; end: number }[] = []
  const offset = text.startsWith('\uFEFF') ? 1 : 0
  const plugin = defineMdastPlugin({
    name: 'tables',
    options: { position: true },
    table: ({ position }) => {
      const [start, end] = [position?.start.offset, position?.end.offset]
      if (start !== undefined && end !== undefined) tables.push({ start: start + offset, end: end + offset })
    },
    after: (root, context) => context.replaceNode(root, { type: 'root', children: [] }),
  })
  // satteri does not count bars next to an address as those of a table: hide the addresses.
  const source = text.replaceAll('://', ':xx').replace(/www\./gi, 'wwwx')
  markdownToHtml(source, { features: FEATURES, mdastPlugins: [plugin] })
  return tables
}

function insertionsIn(text: string, { start, end }: { readonly start: number; readonly end: number }): Insertion[] {
  const table = text.slice(start, end)
  const insertions: Insertion[] = []
  for (const { 0: line, 1: before = '', index } of table.matchAll(TAG_LINE)) {
    if (index > 0 && !/[\r\n]/.test(line)) insertions.push({ at: start + index, text: `${before}\n` })
  }
  for (const { 0: cell, index } of table.matchAll(CELL)) {
    if (!ADDRESS.test(cell)) continue
    const end = index + cell.length
    if (table[index - 1] === '|') insertions.push({ at: start + index, text: ' ' })
    if (table[end] === '|') insertions.push({ at: start + end, text: ' ' })
  }
  return insertions.sort((a, b) => a.at - b.at)
}
