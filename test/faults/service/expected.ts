import { expectedRows, KEYS, rowsByScope, type ScopedRow, TABLES } from '@collab-etl/harness/expected-rows'
import type { Frozen, ProjectTruth, Store, WebhookRecord } from '@collab-etl/sandbox'
import type { Tables } from '../support/stored.ts'

/** What a service holds. */
export interface Held {
  readonly projects: readonly ProjectTruth[]
  readonly personalWebhooks: Frozen<WebhookRecord[]>
}

/** What a service holds now. */
export function held(store: Store): Held {
  const projects = store.projects.map(({ reference }) => store.truth(reference.pid))
  return { projects, personalWebhooks: store.personalWebhooks }
}

function rowsOf({ projects, personalWebhooks }: Held): ScopedRow[] {
  const { webhooks = [] } = expectedRows([], personalWebhooks)
  const personal = webhooks.map((row) => ({ table: 'webhooks', pid: null, stream: 'webhooks', row }))
  return [...projects.flatMap(rowsByScope), ...personal]
}

/** Incomplete scopes, such as `tasks P1: failed`, or `projects -` without a project. */
export type NotComplete = Readonly<Record<string, 'failed' | 'skipped' | 'partial' | 'drifted' | 'refused'>>

export interface Nights {
  readonly before: Held
  readonly tonight: Held
  readonly notComplete?: NotComplete
  /** Selects the rows of partial scopes that could not be read: they are unchanged. */
  readonly isUnread?: (row: ScopedRow) => boolean
}

/**
 * The expected live rows: a complete scope is new, a failed or skipped one is unchanged, and a partial scope, an
 * inconsistent read or a guarded scope has the new rows and keeps the old ones. A task is deleted only if it is in neither list.
 */
export function expectedTables({ before, tonight, notComplete = {}, isUnread = () => false }: Nights): Tables {
  const statusOf = (pid: string | null, stream: string) => notComplete[`${stream} ${pid ?? '-'}`] ?? 'complete'
  const takesAway = ({ pid, stream }: ScopedRow) => {
    const of = stream === 'tasks' || stream === 'archived_tasks' ? ['tasks', 'archived_tasks'] : [stream]
    return stream !== 'users' && of.every((name) => statusOf(pid, name) === 'complete')
  }
  const isStored = (row: ScopedRow) => !['failed', 'skipped'].includes(statusOf(row.pid, row.stream)) && !isUnread(row)
  const fresh = rowsOf(tonight).filter(isStored)
  const read = new Set(fresh.map(parentOf))
  // A record that was read has its new lists, even if the list of records is incomplete.
  const isReplaced = (row: ScopedRow) => isStored(row) && !isRecord(row) && read.has(parentOf(row))
  const left = rowsOf(before).filter((row) => !takesAway(row) && !isReplaced(row))
  const merged = new Map<string, ScopedRow>()
  for (const row of [...left, ...fresh]) merged.set(keyOf(row), row)
  const tables: Tables = Object.fromEntries(TABLES.map((table) => [table, []]))
  for (const { table, row } of merged.values()) tables[table]?.push({ ...row })
  return tables
}

function keyOf({ table, row }: ScopedRow): string {
  return JSON.stringify([table, ...(KEYS[table] ?? []).map((column) => row[column])])
}

/** Whether a row belongs to a record itself, not to one of its lists. */
function isRecord({ table }: ScopedRow): boolean {
  return ['projects', 'users', 'entries', 'tasks', 'pages', 'posts', 'files', 'events', 'webhooks'].includes(table)
}

/** The record that a row belongs to. */
function parentOf({ row }: ScopedRow): string {
  const { pid, tid, page_id, post_id, fid, event_id, starts_at, wid } = row
  return JSON.stringify([pid, tid, page_id, post_id, fid, event_id, starts_at, wid])
}
