import { join } from 'node:path'
import { type Cell, CONTENT, type Content, csvFormOf, namedCsvRows, type OpenedBackup } from '@collab-etl/backups'
import { type BagFile, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { StreamName } from '@collab-etl/contract/streams'
import { type ColumnType, tableByName } from '@collab-etl/warehouse'
import { type CsvTable, csvTablesOf } from '../csv/tables.ts'
import type { SourceRow, SourceTable } from '../source/backup-source.ts'
import { isSpooled, type SpooledTable } from '../source/spool.ts'
import type { SpooledRows } from '../source/spooled-rows.ts'
import type { Reading } from './recorded-source.ts'

/** Rows between two looks at the signal. */
const ROWS_IN_A_ROW = 1000

/** The stream that the rows of a kind are read from. The CSV does not say which list a task was in. */
const STREAMS: Readonly<Record<Content, StreamName>> = {
  ...{ pages: 'pages', posts: 'posts', tasks: 'tasks', events: 'events', files: 'files', users: 'projects' },
}

/** Reads the CSV files of a backup: their columns are those of the tables. */
export async function readCsv(backup: OpenedBackup, rows: SpooledRows, { signal, onPart }: Reading): Promise<void> {
  const tables: readonly (readonly [table: CsvTable, stream: StreamName])[] = [
    ['projects', 'projects'],
    ...CONTENT.flatMap((kind) => csvTablesOf(kind).map((table) => [table, STREAMS[kind]] as const)),
  ]
  const files = new Map<string, BagFile>()
  for await (const file of backup.files('csv/')) files.set(file.path, file)
  await backup.check([...files.values()], () => signal.throwIfAborted())
  for (const [index, [table, stream]] of tables.entries()) {
    const path = `${PAYLOAD_FOLDER}/csv/${table}.csv`
    if (files.has(path)) await readTable(backup, path, { table, stream }, rows, signal)
    onPart(index + 1, tables.length)
  }
}

async function readTable(
  backup: OpenedBackup,
  path: string,
  { table, stream }: { readonly table: CsvTable; readonly stream: StreamName },
  rows: SpooledRows,
  signal: AbortSignal,
): Promise<void> {
  const name: SourceTable = table === 'attachments' ? 'comment_files' : table
  const adder = new RowAdder(rows, name, stream)
  let count = 0
  for await (const row of typedRows(backup, path, name)) {
    if (count++ % ROWS_IN_A_ROW === 0) signal.throwIfAborted()
    await adder.add(table === 'attachments' ? attachmentOf(row) : row)
  }
  await adder.end()
}

/** Attachments are the files of comments of posts. */
function attachmentOf({ post_id, ...row }: SourceRow): SourceRow {
  return { ...row, parent_kind: 'post', parent_id: post_id }
}

async function* typedRows(
  backup: OpenedBackup,
  path: string,
  table: SourceTable,
): AsyncGenerator<SourceRow, void, undefined> {
  const types = new Map(tableByName(table).columns.map(({ name, type }) => [name, type]))
  for await (const row of namedCsvRows(join(backup.path, path), csvFormOf(backup.manifest.csv))) {
    const typed = Object.entries(row).map(([column, cell]) => [column, typedCell(cell, types.get(column), column)])
    yield Object.fromEntries(typed)
  }
}

/** The value of a cell, as a row of the warehouse has it. */
function typedCell(cell: Cell, type: ColumnType | undefined, column: Cell): unknown {
  if (cell === null) return null
  if (column === 'extra' || type === 'jsonb') return parseExactJson(cell)
  if (type === 'boolean') return cell === 'true'
  return type === 'smallint' || type === 'integer' || type === 'double precision' ? Number(cell) : cell
}

/** Adds the rows of one table, which are in the order of their projects. */
class RowAdder {
  readonly #rows: SpooledRows
  readonly #table: SourceTable
  readonly #stream: StreamName
  #open: { readonly pid: string; readonly scope: ReturnType<SpooledRows['spool']['scope']> } | null = null
  #count = 0

  constructor(rows: SpooledRows, table: SourceTable, stream: StreamName) {
    this.#rows = rows
    this.#table = table
    this.#stream = stream
  }

  async add(row: SourceRow): Promise<void> {
    const table = this.#table
    if (table === 'users') this.#rows.users.set(String(row['uid']), row)
    else if (table === 'projects') this.#rows.projects.set(String(row['pid']), row)
    else if (isSpooled(table)) await this.#append(table, row)
  }

  async end(): Promise<void> {
    await this.#open?.scope.seal()
    this.#open = null
  }

  async #append(table: SpooledTable, row: SourceRow): Promise<void> {
    const pid = String(row['pid'])
    if (this.#open?.pid !== pid) {
      await this.end()
      this.#open = { pid, scope: this.#rows.spool.scope(pid, this.#stream) }
    }
    await this.#open?.scope.append(table, row, this.#count++)
  }
}
