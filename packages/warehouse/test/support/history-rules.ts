import type { StreamName } from '@collab-etl/contract/streams'
import { tableByName } from '../../src/tables/index.ts'
import type { Table, TableName } from '../../src/tables/table.ts'
import type { ListedNames } from './history-groups.ts'
import type { PlainRow } from './history-rows.ts'
import type { Publication } from './history-script.ts'

/**
 * The name that the list of groups shows counts. Without one, every task was updated at the same time: the first name of a group counts.
 * Tasks that show another keep it in `extra`.
 */
export function settleEntryNames(
  streams: Publication['streams'],
  staged: ReadonlyMap<TableName, Map<string, PlainRow>>,
  listed: ListedNames | null,
): void {
  const names = new Map<unknown, string>()
  const shown = new Map<string, string | null>()
  for (const stream of ['tasks', 'archived_tasks'] as const) {
    for (const batch of streams[stream]?.batches ?? []) {
      if (batch.kind !== 'task' && batch.kind !== 'archived_task') continue
      for (const { tid, entry_id, entry_name } of batch.records) {
        shown.set(tid, entry_name)
        const known = names.get(entry_id)
        if (entry_name !== null && (known === undefined || entry_name < known)) names.set(entry_id, entry_name)
      }
    }
  }
  const [entries, tasks] = [staged.get('entries'), staged.get('tasks')]
  for (const [key, row] of entries ?? []) {
    const id = row['entry_id']
    if (names.has(id) && listed?.names.has(id) !== true) entries?.set(key, { ...row, name: names.get(id) ?? null })
  }
  for (const [key, row] of tasks ?? []) {
    const [name, id] = [shown.get(String(row['tid'])) ?? null, row['entry_id']]
    const winner = listed?.names.get(id) ?? (listed?.isWhole === true ? null : names.get(id))
    if (winner !== undefined && id !== null && name !== null && name !== winner)
      tasks?.set(key, { ...row, extra: { entry_name: name } })
  }
}

/** While the archive is not known, a task that was in both lists, and so has a position, stays archived. */
export function keepArchived(
  staged: Map<string, PlainRow> | undefined,
  before: ReadonlyMap<string, PlainRow> | undefined,
): void {
  for (const [key, row] of staged ?? []) {
    const was = before?.get(key)
    if (was?.['archived'] === true && (was['position'] !== null || row['position'] === null))
      staged?.set(key, { ...row, archived: true })
  }
}

/** A task of the archive alone was completed when it was last known to be, if it is still completed. */
export function keepCompletions(staged: Map<string, PlainRow> | undefined, last: ReadonlyMap<string, PlainRow>): void {
  for (const [key, row] of staged ?? []) {
    const was = last.get(key)
    const isOfArchive = row['archived'] === true && row['position'] === null
    if (isOfArchive && row['completed'] === true && was?.['completed'] === true)
      staged?.set(key, { ...row, completed_at: was['completed_at'] ?? null })
  }
}

/** Whether the event of a row has fewer starts than before. If not, the event was moved, and its row is not missing. */
export function hasFewerStarts(
  key: string,
  then: ReadonlyMap<string, PlainRow>,
  now: ReadonlyMap<string, PlainRow>,
): boolean {
  const of = then.get(key)
  const starts = (rows: ReadonlyMap<string, PlainRow>) =>
    [...rows.values()].filter((row) => row['pid'] === of?.['pid'] && row['event_id'] === of?.['event_id']).length
  return starts(now) < starts(then)
}

/** The rows that a scope answers for, and which of them it says are gone (default: those it did not name). */
interface Share {
  readonly stream: StreamName
  readonly answersFor: (row: PlainRow) => boolean
  readonly isGone?: (row: PlainRow) => boolean
}

export function sharesOf(
  { name }: Table,
  pid: string | null,
  streams: Publication['streams'],
  gone: ReadonlyMap<StreamName, ReadonlySet<string>>,
): readonly Share[] {
  const own = (row: PlainRow) => row['pid'] === pid
  if (name === 'tasks') {
    return [
      { stream: 'tasks', answersFor: (row) => own(row) && row['archived'] !== true },
      { stream: 'archived_tasks', answersFor: (row) => own(row) && row['archived'] === true },
    ]
  }
  if (name === 'pages' || name === 'webhooks') return [{ stream: name, answersFor: own }]
  if (name === 'project_members') return [{ stream: 'members', answersFor: own }]
  if (name === 'teams') return [{ stream: name, answersFor: () => true }]
  if (name === 'entries' && streams.entries !== undefined) return [{ stream: name, answersFor: own }]
  if (name === 'posts' || name === 'files') {
    const [id] = tableByName(name).key.slice(1)
    return [{ stream: name, answersFor: own, isGone: (row) => gone.get(name)?.has(String(row[id ?? ''])) === true }]
  }
  const range = streams.events?.range
  if (name !== 'events' || range === undefined) return []
  const isIn = (at: number) => at >= range.from.getTime() && at <= range.to.getTime()
  return [{ stream: 'events', answersFor: (row) => own(row) && isIn(Date.parse(String(row['starts_at']))) }]
}
