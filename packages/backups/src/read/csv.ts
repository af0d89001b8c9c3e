import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { Row, SourceRecord } from '@collab-etl/contract/source'
import { type ColumnType, recordOf, type TableName, tableByName } from '@collab-etl/warehouse/records'
import { type Cell, type CsvStyle, cellsOf, csvHeader, csvRows, type RowSelection, rowsIn } from './csv-rows.ts'
import { itemsOf, Peeked } from './ordered.ts'
import type { ReceivedFile } from './received.ts'
import {
  CSV_ATTACHMENTS,
  CSV_LISTS,
  type CsvAttachments,
  isAttachments,
  JSONL_FILES,
  type RecordTable,
} from './record-files.ts'

/** The CSV files of a backup. */
export interface CsvFiles {
  readonly style: CsvStyle
  /** The absolute path of a table's file, after it was checked; `null` if there is none. */
  readonly pathOf: (table: string) => Promise<string | null>
}

/** Which records are read. */
export interface CsvWhich {
  readonly pids?: ((pid: string) => boolean) | undefined
  /** Rows of each file; default: all. */
  readonly only?: ((table: string) => RowSelection | null) | undefined
}

/** The records of a table with the rows of their lists, which are in the order of the same keys. */
export async function* csvRecords(
  files: CsvFiles,
  table: RecordTable,
  which: CsvWhich,
): AsyncGenerator<SourceRecord, void, undefined> {
  const { key } = tableByName(table)
  const lists = CSV_LISTS[table].map((list) => [list, new Peeked(rowsOf(files, list, which))] as const)
  try {
    for await (const row of rowsOf(files, table, which)) {
      const own = new Map<string, readonly Row[]>()
      for (const [list, rows] of lists) {
        const found = await itemsOf(row, rows, key)
        if (isAttachments(list))
          own.set(
            'comment_files',
            found.map((row) => commentFileOf(list, row)),
          )
        else own.set(list, found)
      }
      yield { table, row, lists: own }
    }
  } finally {
    for (const [, rows] of lists) await rows[Symbol.asyncDispose]()
  }
}

/** Reads records as the service sent them from the bytes of rows; without their lists, and without names of users. */
export function receivedCsv(path: string, table: RecordTable, style: CsvStyle): ReceivedFile {
  const typed = typing(table, csvHeader(path, style))
  const [file] = JSONL_FILES[table]
  if (file === undefined) throw new TypeError(`rows of ${table} are no records`)
  const nothing = { user: () => undefined, entry: () => undefined, project: null, list: () => [] }
  return {
    path,
    pieces: () => rowsIn(path),
    read: (bytes) => {
      const row = typed(cellsOf(bytes.toString(), style))
      return {
        pid: row['pid'],
        archived: table === 'tasks' && row['archived'] === true,
        record: recordOf(file.kind, row, nothing),
        comments: [],
      }
    },
  }
}

async function* rowsOf(
  { style, pathOf }: CsvFiles,
  table: string,
  { pids, only }: CsvWhich,
): AsyncGenerator<Row, void, undefined> {
  const path = await pathOf(table)
  if (path === null) return
  let typed: ((cells: readonly Cell[]) => Row) | undefined
  for await (const cells of csvRows(path, style, only?.(table))) {
    if (typed === undefined) typed = typing(table, cells.map(String))
    else {
      const row = typed(cells)
      if (pids === undefined || pids(String(row['pid']))) yield row
    }
  }
}

/** Makes rows as a warehouse has them from the cells of a table with this header. */
function typing(table: string, header: readonly string[]): (cells: readonly Cell[]) => Row {
  const { columns } = tableByName(isAttachments(table) ? 'comment_files' : (table as TableName)) // the files of a backup are named for tables
  const types = new Map<string, ColumnType>(columns.map(({ name, type }) => [name, type]))
  const typed = header.map((column) => [column, types.get(column)] as const)
  return (cells) => {
    const row: Record<string, unknown> = {}
    for (const [index, [column, type]] of typed.entries()) row[column] = valueIn(cells[index] ?? null, column, type)
    return row
  }
}

function valueIn(cell: Cell, column: string, type: ColumnType | undefined): unknown {
  if (cell === null) return null
  if (column === 'extra' || type === 'jsonb') return parseExactJson(cell)
  if (type === 'boolean') return cell === 'true'
  return type === 'smallint' || type === 'integer' || type === 'double precision' ? Number(cell) : cell
}

function commentFileOf(name: CsvAttachments, row: Row): Row {
  const { kind, id } = CSV_ATTACHMENTS[name]
  const { [id]: parent_id, ...file } = row
  return { ...file, parent_kind: kind, parent_id }
}
