import { hash } from 'node:crypto'
import { copyCells } from '../convert/copy-text.ts'
import type { TableRows } from '../records/row-writer.ts'
import type { BatchRows } from '../records/rows-of.ts'
import { shapeOf } from './shape.ts'

/** Rows of one table as they are copied, without what follows their cells; and the record each was made from, in order. */
interface TableLines extends Pick<TableRows, 'table' | 'records' | 'leftOut' | 'shown'> {
  readonly cells: readonly string[]
}

/** A batch as lines of COPY. */
export interface BatchLines {
  readonly tables: readonly TableLines[]
  /** SHA-256 of each record over its lines, in hexadecimal; none for a record that has no rows. */
  readonly digests: readonly (string | undefined)[]
  /** The same of rows that several records may hold: task groups. */
  readonly shared: readonly string[]
}

/**
 * Encodes a batch. A record's hash covers its own rows: its lists in any order, but not users, as their presence is not part
 * of the record.
 */
export function linesOf({ tables }: BatchRows, count: number): BatchLines {
  const encoded = tables.map(({ table, rows, records, leftOut, shown }): TableLines => {
    const { skip } = shapeOf(table.name)
    return { table, records, leftOut, shown, cells: rows.map((row) => copyCells(row, skip)) }
  })
  const own = encoded.filter(({ table }) => table.shared !== true)
  const shared = encoded.filter(({ table }) => table.shared === true && table.name !== 'users')
  return {
    tables: encoded,
    digests: digestsOf(own, count),
    shared: shared.flatMap(({ table, cells }) => cells.map((cell) => digestOf(`${table.name}\n${cell}`))),
  }
}

function digestsOf(tables: readonly TableLines[], count: number): (string | undefined)[] {
  const inOrder = tables.toSorted((a, b) => (a.table.name < b.table.name ? -1 : 1))
  const next = inOrder.map(() => 0)
  return Array.from({ length: count }, (_, record) => {
    let text = ''
    for (const [index, { table, cells, records, shown }] of inOrder.entries()) {
      const first = next[index] ?? 0
      let end = first
      while (records[end] === record) end += 1
      if (end === first) continue
      next[index] = end
      text += `${table.name}\n${inOrderOf(cells, first, end)}\n`
      if (shown.has(first)) text += `${shown.get(first)}\n`
    }
    return text === '' ? undefined : digestOf(text)
  })
}

/** The lines from `first` to before `end`, in an order that depends on the lines alone. Most lists have one or two. */
function inOrderOf(lines: readonly string[], first: number, end: number): string {
  const [a = '', b = ''] = [lines[first], lines[first + 1]]
  if (end === first + 1) return a
  if (end === first + 2) return a < b ? `${a}\n${b}` : `${b}\n${a}`
  return lines.slice(first, end).sort().join('\n')
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex')
}
