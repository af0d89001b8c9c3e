import { join } from 'node:path'
import { FOLDER_MODE, linesOf } from '@collab-etl/bagit'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { makeDirectory } from '@collab-etl/lock'
import { TABLES, tableByName } from '@collab-etl/warehouse'
import type { SourceRow, SourceTable } from './backup-rows.ts'
import { isArchivedCopy, mergeCopies } from './both-lists.ts'
import { mergeRows } from './merge-rows.ts'
import { SpoolTable } from './spool-table.ts'

/** The tables whose rows a spool keeps on the disk: all but those with a row for a project or a user. */
export type SpooledTable = Exclude<SourceTable, 'projects' | 'users'>

export function isSpooled(table: SourceTable): table is SpooledTable {
  return table !== 'projects' && table !== 'users'
}

/** Rows of one scope, while it is read. */
export interface ScopeRows {
  /**
   * Adds a row of the record of that number, which is higher than those before it. `true` where the record replaces an
   * earlier one, all of whose rows are void then.
   */
  append(table: SpooledTable, row: SourceRow, record: number): Promise<boolean>
  /** Discards all rows. */
  discard(): Promise<void>
  /** Makes the rows readable, behind those of earlier readings of the same scope. */
  seal(): Promise<void>
}

/** In place of the id of a project: rows of teams. */
export const NO_PROJECT = ''

/** The number of no record: rows that many records share outlive each of them. */
const SHARED = -1

/** A sorted file, and the stream that it is of. */
interface Sealed {
  readonly stream: StreamName
  readonly path: string
}

/** Stores records read from the service on disk until the backup is written. */
export class Spool {
  readonly #folder: string
  /** By project and table, in the order in which they were read. */
  readonly #sealed = new Map<string, Sealed[]>()
  /** Lists that were read completely, as `stream pid`: they decide alone which rows exist. */
  readonly #whole = new Set<string>()
  /** By project, the tasks in both lists, and the stream whose copy does not count. */
  readonly #superseded = new Map<string, Promise<ReadonlyMap<string, StreamName>>>()
  #files = 0

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** `folder` must not exist. */
  static async create(folder: string): Promise<Spool> {
    makeDirectory(folder, FOLDER_MODE)
    return new Spool(folder)
  }

  scope(pid: string, stream: StreamName): ScopeRows {
    const tables = new Map<SpooledTable, { path: string; rows: SpoolTable }>()
    const voidRecords = new Set<number>()
    const open = (table: SpooledTable) => {
      const known = tables.get(table)
      if (known) return known
      const path = join(this.#folder, `${this.#files++}.jsonl`)
      const opened = { path, rows: new SpoolTable(path, keyOf(table)) }
      tables.set(table, opened)
      return opened
    }
    return {
      append: async (table, row, record) => {
        const earlier = await open(table).rows.append(row, table === 'entries' ? SHARED : record)
        const isReplaced = earlier !== null && earlier !== record && tableByName(table).isRecord === true
        if (isReplaced) voidRecords.add(earlier)
        return isReplaced
      },
      discard: async () => {
        voidRecords.clear()
        for (const { rows } of tables.values()) await rows.discard()
      },
      seal: async () => {
        for (const [table, { path, rows }] of tables) {
          if (await rows.seal(voidRecords)) this.#addSealed(pid, table, { stream, path })
        }
      },
    }
  }

  /** Discards the sealed rows of a stream of a project. */
  forget(pid: string, stream: StreamName): void {
    for (const { name } of TABLES) {
      const place = placeOf(pid, name)
      const others = this.#sealed.get(place)?.filter((sealed) => sealed.stream !== stream)
      if (others) this.#sealed.set(place, others)
    }
  }

  /** Notes that a list of a project was read completely. */
  noteWhole(pid: string, stream: StreamName): void {
    this.#whole.add(`${stream} ${pid}`)
  }

  /** The sealed rows in the order of their key. */
  rows(pid: string, table: SpooledTable): AsyncIterable<SourceRow> {
    const files = this.#filesOf(pid, table)
    const { parent, isRecord } = tableByName(table)
    const isOfTasks = isRecord !== true && parent?.tables.includes('tasks') === true
    const runs = files.map(({ stream, path }) =>
      isOfTasks ? this.#notSuperseded(pid, stream, rowsOfFile(path)) : rowsOfFile(path),
    )
    return mergeRows(runs, keyOf(table), table === 'tasks' ? ofLists : undefined)
  }

  /**
   * If two streams hold the same row, the one that lists the table counts, else the later one, as in the warehouse; copies of tasks are
   * merged. A list that was read completely counts alone.
   */
  #filesOf(pid: string, table: SpooledTable): Sealed[] {
    const { listedBy } = tableByName(table)
    const isWhole = listedBy !== undefined && this.#whole.has(`${listedBy} ${pid}`)
    const files = (this.#sealed.get(placeOf(pid, table)) ?? []).filter(({ stream }) => !isWhole || stream === listedBy)
    const place = (stream: StreamName) => (stream === listedBy ? STREAMS.length : STREAMS.indexOf(stream))
    return files.toSorted((a, b) => place(a.stream) - place(b.stream))
  }

  /** Of a task in both lists, only the labels, checklist and people of the copy that counts. */
  async *#notSuperseded(
    pid: string,
    stream: StreamName,
    rows: AsyncIterable<SourceRow>,
  ): AsyncGenerator<SourceRow, void, undefined> {
    let superseded = this.#superseded.get(pid)
    if (superseded === undefined) {
      superseded = this.#findSuperseded(pid)
      this.#superseded.set(pid, superseded)
    }
    const tids = await superseded
    for await (const row of rows) if (tids.get(String(row['tid'])) !== stream) yield row
  }

  async #findSuperseded(pid: string): Promise<ReadonlyMap<string, StreamName>> {
    const runs = this.#filesOf(pid, 'tasks').map(({ path }, run) => tidsOfFile(path, run))
    const tids = new Map<string, StreamName>()
    let last: SourceRow = {}
    for await (const row of mergeRows(runs, ['tid', 'run'])) {
      if (row['tid'] === last['tid'])
        tids.set(String(row['tid']), isArchivedCopy(last, row) ? 'tasks' : 'archived_tasks')
      last = row
    }
    return tids
  }

  #addSealed(pid: string, table: SpooledTable, sealed: Sealed): void {
    const place = placeOf(pid, table)
    this.#sealed.set(place, [...(this.#sealed.get(place) ?? []), sealed])
  }
}

/** The row of a task: merged if it is in both lists, which are in the order of their streams. */
function ofLists(rows: readonly SourceRow[]): SourceRow | undefined {
  const [listed, archived] = rows
  return listed && archived ? mergeCopies(listed, archived) : listed
}

/** The columns of the key; `pid` is the same for all rows of a file. */
function keyOf(table: SpooledTable): readonly string[] {
  return tableByName(table).key.filter((column) => column !== 'pid')
}

function placeOf(pid: string, table: SourceTable): string {
  return `${table} ${pid}`
}

async function* rowsOfFile(path: string): AsyncGenerator<SourceRow, void, undefined> {
  for await (const line of linesOf(path)) yield parseExactJson(line) as SourceRow
}

/** Ids of tasks, each with the number of its file, so that a merge does not take two of them for one. */
async function* tidsOfFile(path: string, run: number): AsyncGenerator<SourceRow, void, undefined> {
  for await (const { tid, updated_at } of rowsOfFile(path)) yield { tid, updated_at, run }
}
