import { expectedRows, type PlainRow } from '@collab-etl/harness/expected-rows'
import type { ProjectTruth } from '@collab-etl/sandbox'
import { STORED } from './access.ts'
import { between, byKey, lossOf, type Rows } from './judge.ts'
import { keyOf, plain, type Row } from './rows.ts'
import type { Allowed, Seen } from './truth.ts'

const TASK_STREAMS = ['tasks', 'archived_tasks'] as const

/** Task groups: those of their list; where there never was one, those that tasks name. */
export class Entries {
  /** Projects of which a list of groups was read completely. */
  readonly #listed = new Set<string>()
  /** By project, the names by which those that tasks show are judged, unless tasks alone name the groups. */
  readonly #names = new Map<string, Rows>()
  /** The last row of each group by project, also of those that went. */
  readonly #last = new Map<string, Rows>()

  next(
    truth: ProjectTruth,
    { old, inPlace }: { readonly old: Rows; readonly inPlace: Rows },
    { scopes }: Seen,
    { allowsShrink }: Allowed,
  ): { rows: Rows; problems: string[] } {
    const { pid } = truth.detail
    const statusOf = (stream: string) => scopes.get(`${pid} ${stream}`)?.status ?? 'absent'
    const status = statusOf('entries')
    const read = TASK_STREAMS.filter((stream) => STORED.includes(statusOf(stream)))
    const listed = STORED.includes(status) ? listedRows(truth) : undefined
    const isContradicted = isNamed(truth, read, listed)
    this.#names.delete(pid)
    if (listed !== undefined && status === 'complete' && !isContradicted) {
      this.#listed.add(pid)
      const loss = lossOf(old, listed)
      const isWrong = loss.isTooMuch && !allowsShrink
      return this.#keep(pid, listed, isWrong ? [`complete, though most of ${loss.table} are missing`] : [])
    }
    if (listed !== undefined && status === 'complete') {
      // names are judged by what is stored: groups of the list, of an earlier one, and of tasks
      this.#listed.add(pid)
      const named = new Set(namedRows(truth, 'tasks').map((row) => keyOf(row)))
      const kept = [...inPlace].filter(([key]) => named.has(key))
      return this.#keep(pid, inPlace, between(old, new Map([...kept, ...listed]), inPlace))
    }
    if (status === 'absent' && !this.#listed.has(pid)) {
      const named = byKey(read.flatMap((stream) => namedRows(truth, stream)))
      if (TASK_STREAMS.every((stream) => statusOf(stream) === 'complete')) return this.#keep(pid, named, [])
      return read.length === 0 ? { rows: old, problems: [] } : this.#keep(pid, inPlace, between(old, named, inPlace))
    }
    // tasks add groups that are not stored; of those that were deleted, the ones of the task list
    if (listed !== undefined) {
      // the guard decides after the names
      this.#names.set(pid, listed)
      return this.#keep(pid, inPlace, between(old, listed, inPlace))
    }
    const added = read.flatMap((stream) =>
      namedRows(truth, stream).flatMap((row): Row[] => {
        const key = keyOf(row)
        const last = this.#last.get(pid)?.get(key)?.row
        if (old.has(key) || (last !== undefined && stream === 'archived_tasks')) return []
        const { position = null, created_at = null, updated_at = null } = last ?? {}
        return [{ table: 'entries', row: { ...row.row, position, created_at, updated_at } }]
      }),
    )
    return this.#keep(pid, new Map([...old, ...byKey(added)]), [])
  }

  /** The names by which those that tasks show are judged; `null`: by no list. */
  namesOf(pid: string, rows: Rows): ReadonlyMap<unknown, unknown> | null {
    const named = this.#names.get(pid) ?? (this.#listed.has(pid) ? rows : null)
    return named && new Map([...named.values()].map(({ row }) => [row['entry_id'], row['name']]))
  }

  forget(pid: string): void {
    this.#listed.delete(pid)
  }

  #keep(pid: string, rows: Rows, problems: string[]): { rows: Rows; problems: string[] } {
    this.#last.set(pid, new Map([...(this.#last.get(pid) ?? []), ...rows]))
    return { rows, problems }
  }
}

function listedRows({ entries }: ProjectTruth): Rows {
  return byKey(
    entries.map(({ pid, entry_id, name, pos: position = null, created_at, updated_at, watched }) => {
      return row({ pid, entry_id, name, position, created_at, updated_at, extra: { watched } })
    }),
  )
}

function namedRows(truth: ProjectTruth, stream: (typeof TASK_STREAMS)[number]): Row[] {
  const none = { tasks: [], archived_tasks: [], pages: [], posts: [], files: [], events: [], webhooks: [] }
  const rows = expectedRows([{ ...truth, ...none, [stream]: truth[stream] }], [])['entries'] ?? []
  return rows.map(row)
}

function row(of: PlainRow): Row {
  return { table: 'entries', row: plain(of) }
}

/** Whether open tasks name a group that the list lacks: then it proves no deletion. */
function isNamed(truth: ProjectTruth, read: readonly string[], listed: Rows | undefined): boolean {
  return (
    listed !== undefined && read.includes('tasks') && namedRows(truth, 'tasks').some((row) => !listed.has(keyOf(row)))
  )
}
