import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { keyOf, type Row } from '@collab-etl/documents'
import type { TableName } from '@collab-etl/warehouse'
import { parentColumn, parentColumns } from '../jsonl/resources.ts'
import type { BackupSource, SourceRow } from './backup-source.ts'

/** Reads the children of records, in several tables, beside the records. */
export class ChildLists implements AsyncDisposable {
  readonly #tables: ReadonlyMap<TableName, ChildRows>
  readonly #last = new Map<TableName, { readonly id: string; readonly rows: readonly SourceRow[] }>()

  /** `of`: which rows of the source, by project, and by the ids of the records if given. */
  constructor(
    source: BackupSource,
    of: { readonly pid: string; readonly ids?: readonly string[] },
    tables: readonly TableName[],
  ) {
    this.#tables = new Map(tables.map((table) => [table, new ChildRows(source.rows(table, of), parentColumn(table))]))
  }

  /**
   * The children of one record, by table. Records must be passed in the order of their keys. Several may have the same id
   * (occurrences of one event): each gets only the children that name all of its key.
   */
  async of(record: SourceRow): Promise<ReadonlyMap<TableName, readonly SourceRow[]>> {
    const lists = new Map<TableName, readonly SourceRow[]>()
    for (const [table, children] of this.#tables) {
      const columns = parentColumns(table)
      const rows = await this.#ofId(table, children, keyOf(record, parentColumn(table)))
      const isOwn = (row: SourceRow) => columns.every((column) => row[column] === record[column])
      lists.set(table, columns.length === 1 ? rows : rows.filter(isOwn))
    }
    return lists
  }

  /** The rows of the last id are kept, as the next record may have it too. */
  async #ofId(table: TableName, children: ChildRows, id: string): Promise<readonly SourceRow[]> {
    const last = this.#last.get(table)
    if (last?.id === id) return last.rows
    const rows = await children.of(id)
    this.#last.set(table, { id, rows })
    return rows
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const children of this.#tables.values()) await children[Symbol.asyncDispose]()
  }
}

/** Reads the children of rows beside them: both come in the order of the parent's key, so neither is held in memory. */
export class ChildRows implements AsyncDisposable {
  readonly #rows: AsyncIterator<Row>
  readonly #column: string
  #next: Row | undefined
  #begun = false

  /** `column` names the parent: the first column of the children's order after `pid`. */
  constructor(rows: AsyncIterable<Row>, column: string) {
    this.#rows = rows[Symbol.asyncIterator]()
    this.#column = column
  }

  /** The children of one parent. Must be called in the order of the keys. */
  async of(parent: string): Promise<Row[]> {
    if (!this.#begun) await this.#advance()
    const children: Row[] = []
    while (this.#next !== undefined) {
      const order = compareBytes(keyOf(this.#next, this.#column), parent)
      if (order > 0) break
      if (order === 0) children.push(this.#next)
      await this.#advance()
    }
    return children
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rows.return?.()
  }

  async #advance(): Promise<void> {
    this.#begun = true
    const { done, value } = await this.#rows.next()
    this.#next = done ? undefined : value
  }
}
