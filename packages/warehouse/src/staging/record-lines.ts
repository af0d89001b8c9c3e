import { hash } from 'node:crypto'
import { copyCells } from '../convert/copy-text.ts'
import type { BatchRows } from '../convert/rows-of.ts'
import { type ShapeName, shapeOf } from './shape.ts'

/** Rows of one table as they are copied, without what follows their cells; and the record each was made from. */
export interface TableLines {
  readonly name: ShapeName
  readonly isShared: boolean
  readonly isHashed: boolean
  readonly cells: readonly string[]
  readonly records: readonly number[]
}

/** A batch as lines, and the SHA-256 of each record over its lines; none for a record that has no rows. */
export interface BatchLines {
  readonly tables: readonly TableLines[]
  readonly digests: readonly (Buffer | undefined)[]
  /** Hashes of rows that several records may hold, task groups aside from the tasks that name them. */
  readonly shared: readonly Buffer[]
}

/**
 * Encodes a batch. A record's hash covers its own rows: its lists in whatever order, users not at all, as whether one is online
 * is nothing of the record's.
 */
export function linesOf({ tables }: BatchRows, count: number): BatchLines {
  const own: string[][] = Array.from({ length: count }, () => [])
  const shared: Buffer[] = []
  const encoded = tables.map(({ table, rows, records }): TableLines => {
    const { skip } = shapeOf(table.name)
    const cells = rows.map((row) => copyCells(row, skip))
    if (table.shared !== true) {
      for (const [index, text] of cells.entries()) own[records[index] ?? 0]?.push(`${table.name}\t${text}`)
    } else if (table.name !== 'users') {
      for (const text of cells) shared.push(digestOf(`${table.name}\t${text}`))
    }
    return { name: table.name, isShared: table.shared === true, isHashed: table.hashed === true, cells, records }
  })
  return { tables: encoded, digests: own.map(digestOfLines), shared }
}

function digestOfLines(lines: string[]): Buffer | undefined {
  const [only] = lines
  if (only === undefined) return undefined
  return digestOf(lines.length === 1 ? only : lines.sort().join('\n'))
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
