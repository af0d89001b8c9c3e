import type { Cell } from './cell.ts'

const SPECIAL = /[\\\n\r\t]/
const SPECIAL_ALL = /[\\\n\r\t]/g
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** One line of Postgres' COPY text format: the cells, then `tail` (one or more encoded cells of the caller's). */
export function copyLine(cells: readonly Cell[], tail: string): string {
  return `${copyCells(cells, 0)}${tail}\n`
}

/**
 * The cells from `first` on in Postgres' COPY text format, a tab after each. They must be storable: no U+0000, no lone
 * surrogates.
 */
export function copyCells(cells: readonly Cell[], first: number): string {
  let line = ''
  for (let index = first; index < cells.length; index++) {
    const cell = cells[index] ?? null
    // the kinds in the order of their frequency
    if (typeof cell === 'string') line += SPECIAL.test(cell) ? `${escaped(cell)}\t` : `${cell}\t`
    else if (cell === null) line += '\\N\t'
    else if (typeof cell === 'number') line += `${cell}\t`
    else if (typeof cell === 'boolean') line += cell ? 't\t' : 'f\t'
    else line += `${copyText(isList(cell) ? arrayLiteral(cell) : JSON.stringify(cell))}\t`
  }
  return line
}

/** A text as a cell of COPY text format. */
export function copyText(text: string): string {
  return SPECIAL.test(text) ? escaped(text) : text
}

function isList(cell: object): cell is readonly string[] {
  return Array.isArray(cell)
}

function escaped(text: string): string {
  return text.replace(SPECIAL_ALL, (character) => ESCAPES[character] ?? character)
}

/** A `text[]` in Postgres' text form. */
function arrayLiteral(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`
}
