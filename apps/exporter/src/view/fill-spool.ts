import type { RecordTable } from '@collab-etl/backups/read'
import type { SourceRecord } from '@collab-etl/contract/source'
import type { StreamName } from '@collab-etl/contract/streams'
import { type TableName, tableByName } from '@collab-etl/warehouse'
import { addUser } from '../source/add-user.ts'
import type { SourceRow } from '../source/backup-rows.ts'
import { isSpooled, NO_PROJECT, type ScopeRows } from '../source/spool.ts'
import type { SpooledRows } from '../source/spooled-rows.ts'

/** Records between two looks at the signal. */
const RECORDS_IN_A_ROW = 500

export interface FillOptions {
  readonly signal: AbortSignal
  /** Called as the tables of all projects are read. */
  readonly onPart: (done: number, total: number) => void
}

/** Task groups come after the tasks, which name them: their own rows count. */
const TABLES: readonly RecordTable[] = [
  'users',
  'projects',
  'project_members',
  'teams',
  'tasks',
  'entries',
  'pages',
  'posts',
  'events',
  'files',
]

/**
 * Puts all records of a backup into a spool.
 * @param recordsOf the records of a table, project by project
 */
export async function fillSpool(
  rows: SpooledRows,
  recordsOf: (table: RecordTable) => AsyncIterable<SourceRecord>,
  { signal, onPart }: FillOptions,
): Promise<void> {
  for (const [index, table] of TABLES.entries()) {
    const adder = new RowAdder(rows, tableByName(table).streams[0])
    let count = 0
    for await (const { row, lists } of recordsOf(table)) {
      if (count % RECORDS_IN_A_ROW === 0) signal.throwIfAborted()
      await adder.add(table, row, count)
      for (const [name, items] of lists) for (const item of items) await adder.add(name as TableName, item, count) // lists are named for tables
      count += 1
    }
    await adder.end()
    onPart(index + 1, TABLES.length)
  }
}

/** Adds the rows of records, project by project, of which a backup does not say in which list each was. */
class RowAdder {
  readonly #rows: SpooledRows
  readonly #stream: StreamName
  #open: { readonly pid: string; readonly scope: ScopeRows } | null = null

  constructor(rows: SpooledRows, stream: StreamName) {
    this.#rows = rows
    this.#stream = stream
  }

  async add(table: TableName, row: SourceRow, record: number): Promise<void> {
    const pid = String(row['pid'] ?? NO_PROJECT)
    if (table === 'users') addUser(this.#rows.users, row)
    else if (table === 'projects') this.#rows.projects.set(pid, row)
    else if (isSpooled(table)) await (await this.#scopeOf(pid)).append(table, row, record)
  }

  async end(): Promise<void> {
    await this.#open?.scope.seal()
    this.#open = null
  }

  async #scopeOf(pid: string): Promise<ScopeRows> {
    if (this.#open?.pid === pid) return this.#open.scope
    await this.end()
    const scope = this.#rows.spool.scope(pid, this.#stream)
    this.#open = { pid, scope }
    return scope
  }
}
