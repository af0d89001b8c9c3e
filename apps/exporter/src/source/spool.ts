import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER_MODE } from '../bag/hashed-file.ts'
import { linesOf } from '../lines.ts'
import type { SourceRow, SourceTable } from './backup-source.ts'
import { mergeRows } from './merge-rows.ts'
import { SpoolTable } from './spool-table.ts'

/** The tables whose rows a spool keeps on the disk, with their keys; `pid` is the same for all rows of a file. */
const KEYS = {
  project_labels: ['name'],
  pages: ['page_id'],
  page_watchers: ['page_id', 'uid'],
  posts: ['post_id'],
  post_watchers: ['post_id', 'uid'],
  post_comments: ['post_id', 'cid'],
  comment_files: ['cid', 'fid'],
} as const satisfies Partial<Record<SourceTable, readonly string[]>>

/** The tables of which a row stands for a whole record; the others hold lists of theirs. */
const RECORD_TABLES: ReadonlySet<string> = new Set<keyof typeof KEYS>(['pages', 'posts', 'post_comments'])

export type SpooledTable = keyof typeof KEYS

export function isSpooled(table: string): table is SpooledTable {
  return Object.hasOwn(KEYS, table)
}

/** Rows of one scope, while it is read. */
export interface ScopeRows {
  /**
   * Adds a row of the record of that number, which is higher than those before it. `true` where the record replaces an
   * earlier one, all of whose rows are void then.
   */
  append(table: SpooledTable, row: SourceRow, record: number): Promise<boolean>
  /** Forgets all rows. */
  discard(): Promise<void>
  /** Makes the rows readable, behind those of earlier readings of the same scope. */
  seal(): Promise<void>
}

/** Keeps what is read from the service on the disk, until it is written as a backup. */
export class Spool {
  readonly #folder: string
  /** Sorted files, by project and table, in the order in which they were read. */
  readonly #sealed = new Map<string, string[]>()
  #files = 0

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** `folder` must not exist. */
  static async create(folder: string): Promise<Spool> {
    await mkdir(folder, { mode: FOLDER_MODE })
    return new Spool(folder)
  }

  scope(pid: string): ScopeRows {
    const tables = new Map<SpooledTable, { path: string; rows: SpoolTable }>()
    const voidRecords = new Set<number>()
    const open = (table: SpooledTable) => {
      const known = tables.get(table)
      if (known) return known
      const path = join(this.#folder, `${this.#files++}.jsonl`)
      const opened = { path, rows: new SpoolTable(path, KEYS[table]) }
      tables.set(table, opened)
      return opened
    }
    return {
      append: async (table, row, record) => {
        const earlier = await open(table).rows.append(row, record)
        const isReplaced = earlier !== null && earlier !== record && RECORD_TABLES.has(table)
        if (isReplaced) voidRecords.add(earlier)
        return isReplaced
      },
      discard: async () => {
        voidRecords.clear()
        for (const { rows } of tables.values()) await rows.discard()
      },
      seal: async () => {
        for (const [table, { path, rows }] of tables) {
          if (await rows.seal(voidRecords)) this.#addSealed(pid, table, path)
        }
      },
    }
  }

  /** Forgets the sealed rows of some tables of a project. */
  forget(pid: string, tables: readonly SpooledTable[]): void {
    for (const table of tables) this.#sealed.delete(placeOf(pid, table))
  }

  /** The sealed rows in the order of their key. */
  rows(pid: string, table: SpooledTable): AsyncIterable<SourceRow> {
    const key = KEYS[table]
    const files = this.#sealed.get(placeOf(pid, table)) ?? []
    return mergeRows(files.map(rowsOfFile), (row) => key.map((column) => String(row[column])).join('\0'))
  }

  #addSealed(pid: string, table: SpooledTable, path: string): void {
    const place = placeOf(pid, table)
    this.#sealed.set(place, [...(this.#sealed.get(place) ?? []), path])
  }
}

function placeOf(pid: string, table: SpooledTable): string {
  return `${table} ${pid}`
}

async function* rowsOfFile(path: string): AsyncGenerator<SourceRow, void, undefined> {
  for await (const line of linesOf(path)) yield JSON.parse(line)
}
