import type { TableName } from '@collab-etl/warehouse'
import type { BackupSource, SourceRow } from '../source/backup-source.ts'
import { ChildRows } from '../source/child-rows.ts'
import { parentColumn } from './resources.ts'

/** Reads the children of records, in several tables, beside the records. */
export class ChildLists implements AsyncDisposable {
  readonly #tables: ReadonlyMap<TableName, ChildRows>
  #parent: string | undefined
  #lists: ReadonlyMap<TableName, readonly SourceRow[]> = new Map()

  constructor(source: BackupSource, pid: string, tables: readonly TableName[]) {
    this.#tables = new Map(
      tables.map((table) => [table, new ChildRows(source.rows(table, { pid }), parentColumn(table))]),
    )
  }

  /** The children of one record, by table. To be asked in the order of the records; several may have the same id. */
  async of(parent: string): Promise<ReadonlyMap<TableName, readonly SourceRow[]>> {
    if (parent !== this.#parent) {
      const lists = new Map<TableName, readonly SourceRow[]>()
      for (const [table, children] of this.#tables) lists.set(table, await children.of(parent))
      this.#parent = parent
      this.#lists = lists
    }
    return this.#lists
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const children of this.#tables.values()) await children[Symbol.asyncDispose]()
  }
}
