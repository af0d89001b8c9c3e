import { isOptional, type StreamName } from '@collab-etl/contract/streams'
import { tableByName } from '../../src/tables/index.ts'
import type { Table } from '../../src/tables/table.ts'
import type { ReadRecord } from './history-records.ts'
import { keyOf, type PlainRow } from './history-rows.ts'
import type { Publication } from './history-script.ts'

const ENTRIES = tableByName('entries')
const LISTED = ['position', 'created_at', 'updated_at'] as const

/** The names of groups by their list, or by what is stored of an earlier one. */
export interface ListedNames {
  readonly names: ReadonlyMap<unknown, unknown>
  /** Whether no other group exists. */
  readonly isWhole: boolean
}

/** Task groups, whose list the service need not offer. */
export class ModelGroups {
  /** Projects of which a list of groups was read completely. */
  readonly #listed = new Set<string | null>()
  /** The last version of each group, gone ones too. */
  readonly #last = new Map<string, PlainRow>()

  /** The streams that must be complete before rows of a table are marked deleted. */
  deciding({ streams, listedBy }: Table, { pid, streams: read }: Publication): readonly StreamName[] {
    if (listedBy !== undefined && (read[listedBy] !== undefined || this.#listed.has(pid))) return [listedBy]
    return streams.filter((stream) => read[stream] !== undefined || !isOptional(stream))
  }

  /**
   * A complete list of groups decides alone. After an earlier one, tasks add the groups that are not stored; of those that are marked
   * deleted, the ones of the task list.
   */
  settle(
    records: readonly ReadRecord[],
    { pid, streams }: Publication,
    live: ReadonlyMap<string, PlainRow>,
  ): { records: readonly ReadRecord[]; listed: ListedNames | null; isContradicted: boolean } {
    const given = streams.entries
    if (given === undefined && !this.#listed.has(pid)) return { records, listed: null, isContradicted: false }
    const own = [...live.values()].filter((row) => row['pid'] === pid)
    const rows = records
      .filter(({ stream }) => stream === 'entries')
      .flatMap((record) => record.rows.map(({ row }) => row))
    const inList = new Set(rows.map((row) => keyOf(ENTRIES, row)))
    const isComplete = given !== undefined && (given.status ?? 'complete') === 'complete'
    const isContradicted = isComplete && namesOther(records, inList)
    const isWhole = isComplete && !isContradicted
    const isKept = (stream: StreamName, row: PlainRow) => {
      const key = keyOf(ENTRIES, row)
      if (stream === 'entries') return true
      return !isWhole && !inList.has(key) && !live.has(key) && !(stream === 'archived_tasks' && this.#last.has(key))
    }
    const settled = records.map(({ stream, rows: of }) => ({
      stream,
      rows: of.flatMap(({ table, row }) => {
        if (table.name !== 'entries') return [{ table, row }]
        if (!isKept(stream, row)) return []
        const last = stream === 'entries' ? undefined : this.#last.get(keyOf(ENTRIES, row))
        return [
          { table, row: { ...row, ...Object.fromEntries(LISTED.map((name) => [name, last?.[name] ?? row[name]])) } },
        ]
      }),
    }))
    const names = new Map([...(isWhole ? [] : own), ...rows].map((row) => [row['entry_id'], row['name']]))
    return { records: settled, listed: { names, isWhole }, isContradicted }
  }

  /** Notes what was stored, and whether the list of groups was published as complete. */
  note(pid: string | null, live: ReadonlyMap<string, PlainRow>, isRead: boolean): void {
    for (const [key, row] of live) this.#last.set(key, row)
    if (isRead) this.#listed.add(pid)
  }

  leave(gone: ReadonlySet<string>): void {
    for (const pid of gone) this.#listed.delete(pid)
  }
}

/** Whether open tasks name a group that the list lacks: then it deletes none. */
function namesOther(records: readonly ReadRecord[], inList: ReadonlySet<string>): boolean {
  return records.some(
    ({ stream, rows }) =>
      stream === 'tasks' && rows.some(({ table, row }) => table.name === 'entries' && !inList.has(keyOf(ENTRIES, row))),
  )
}
