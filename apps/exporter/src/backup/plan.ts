import type { BackupProject } from '@collab-etl/backups'
import { UsageError } from '@collab-etl/cli'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { STREAMS } from '@collab-etl/contract/streams'
import { keyOf, type ListedIssue, textOf } from '@collab-etl/documents'
import type { ScopeState } from '@collab-etl/warehouse'
import { RECORD_TABLES } from '../jsonl/resources.ts'
import type { BackupRows, SourceTable, UnreadItem } from '../source/backup-rows.ts'
import type { BackupOptions } from './options.ts'

const KEPT = ['unlisted_since', 'only_in_team'] as const satisfies readonly (keyof BackupProject)[]

/** A project of a backup. */
export interface ProjectToWrite {
  readonly pid: string
  readonly title: string | null
  readonly hasRow: boolean
  /** What runs found out about it; without values that it does not have. */
  readonly kept: Pick<BackupProject, (typeof KEPT)[number]>
}

/** What a backup states of its source, each in an order that does not depend on the order of reading. */
export interface BackupPlan {
  readonly scopes: readonly ScopeState[]
  readonly projects: readonly ProjectToWrite[]
  readonly losses: readonly ListedIssue[]
  readonly unread: readonly UnreadItem[]
}

/**
 * Reads what a backup is to hold. `tables` are those that its formats are made of.
 * @throws UsageError if none of the requested projects exists
 */
export async function planBackup(
  source: BackupRows,
  options: BackupOptions,
  tables: ReadonlySet<string>,
): Promise<BackupPlan> {
  const scopes = await scopesToReport(source, options)
  const records = RECORD_TABLES.map(({ table }) => table).filter((table) => tables.has(table))
  const projects = await projectsToWrite(source, options, scopes, records)
  if (projects.length === 0 && options.pids !== null) {
    throw new UsageError(`none of the requested projects exists: ${options.pids.join(', ')}`)
  }
  return { scopes, projects, losses: await lossesOf(source, options), unread: await unreadOf(source, options) }
}

/** The scopes of the requested projects, in order. */
async function scopesToReport(source: BackupRows, { pids }: BackupOptions): Promise<ScopeState[]> {
  const all = await source.scopes()
  const scopes = all.filter(({ pid }) => pids === null || (pid !== null && pids.includes(pid)))
  const covered = new Set(scopes.map(({ pid }) => pid))
  const missed = pids?.filter((pid) => !covered.has(pid)) ?? []
  return [...scopes, ...missed.map(notStored)].sort(
    (a, b) => compareBytes(a.pid ?? '', b.pid ?? '') || STREAMS.indexOf(a.stream) - STREAMS.indexOf(b.stream),
  )
}

/** A requested project that the source does not know. */
function notStored(pid: string): ScopeState {
  const error = { code: 'NOT_STORED', message: `no run has read a project ${pid}` }
  return { pid, stream: 'projects', status: 'failed', error }
}

/** The projects to write, in order. One whose own row could not be read is written if it has any records. */
async function projectsToWrite(
  source: BackupRows,
  { pids }: BackupOptions,
  scopes: readonly ScopeState[],
  tables: readonly SourceTable[],
): Promise<ProjectToWrite[]> {
  const projects = new Map<string, ProjectToWrite>()
  for await (const row of source.rows('projects', { columns: ['pid', 'name', ...KEPT] })) {
    const pid = keyOf(row, 'pid')
    const kept = Object.fromEntries(KEPT.filter((name) => row[name] != null).map((name) => [name, textOf(row, name)]))
    if (pids === null || pids.includes(pid)) projects.set(pid, { pid, title: textOf(row, 'name'), hasRow: true, kept })
  }
  for (const { pid } of scopes) {
    if (pid !== null && !projects.has(pid) && (await hasRows(source, tables, pid))) {
      projects.set(pid, { pid, title: null, hasRow: false, kept: {} })
    }
  }
  return [...projects.values()].sort((a, b) => compareBytes(a.pid, b.pid))
}

async function hasRows(source: BackupRows, tables: readonly SourceTable[], pid: string): Promise<boolean> {
  for (const table of tables) {
    for await (const _row of source.rows(table, { pid, columns: ['pid'] })) return true
  }
  return false
}

/** The conversion issues of the source, in an order that does not depend on the order of reading. */
async function lossesOf(source: BackupRows, { pids }: BackupOptions): Promise<ListedIssue[]> {
  const losses: ListedIssue[] = []
  for await (const loss of source.losses()) {
    if (pids !== null && (loss.pid === null || !pids.includes(loss.pid))) continue
    // The original of a duplicate record depends on the source; that there is a duplicate does not.
    losses.push(loss.kind === 'duplicate' ? { ...loss, original: null } : loss)
  }
  const order = ['pid', 'stream', 'record_key', 'field', 'kind', 'original'] as const
  return losses.sort((a, b) => order.reduce((found, name) => found || compareBytes(a[name] ?? '', b[name] ?? ''), 0))
}

/** Items that could not be read, in an order that does not depend on the order of reading. */
async function unreadOf(source: BackupRows, { pids }: BackupOptions): Promise<UnreadItem[]> {
  const unread = await source.unreadItems()
  const order = ['pid', 'stream', 'item_id'] as const
  return unread
    .filter(({ pid }) => pids === null || (pid !== null && pids.includes(pid)))
    .sort((a, b) => order.reduce((found, name) => found || compareBytes(a[name] ?? '', b[name] ?? ''), 0))
}
