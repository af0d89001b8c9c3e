import {
  type AcceptedFailure,
  isProjectNotFound,
  type Reason,
  type ScopeResult,
  type ScopeStatus,
  type StreamName,
  UNREAD_ITEMS,
} from '@collab-etl/contract/streams'
import type {
  AcceptedScope,
  CountsByTable,
  PublishResult,
  ScopeWarning,
  TableCounts,
  UnreadItemRow,
} from '@collab-etl/warehouse'
import { STATUSES_BY_SEVERITY, TABLES } from '@collab-etl/warehouse'

/** `error.code` of scopes that are skipped because an earlier run published them. */
export const RESUMED = 'RESUMED'

/** A warning, in the words of the `--json` document. */
interface WarningReport {
  readonly code: ScopeWarning['code']
  readonly message: string
  /** Rows that stay live although the list lacks them. */
  readonly waiting: number
  readonly is_new: boolean
}

/** How a scope ended, in the words of the `--json` document. */
export interface ScopeReport {
  readonly pid: string | null
  readonly stream: StreamName
  readonly status: ScopeStatus
  readonly pages: number
  readonly read: number
  /** Hash of the records, independent of their order; `null` if nothing was read. */
  readonly content_hash: string | null
  readonly error: Reason | null
  /** Number of posts, files or lists that the run carried (did not read), and the time of the oldest of their last readings. */
  readonly carried: number
  readonly carried_since: string | null
  /** Why a complete scope may lack records; `is_new` unless the last run that read it had the same warning. */
  readonly warning?: WarningReport
  /** Of a scope that the token may not read, in the first such run: `lost` if an earlier run could read it, else `never`. */
  readonly access?: 'lost' | 'never'
  /** Present if all that is missing was accepted: the scope then leaves the run whole. */
  readonly accepted?: readonly AcceptedFailure[]
}

export interface TallyData {
  readonly tables: Readonly<Record<string, TableCounts>>
  readonly scopes: readonly ScopeReport[]
  readonly losses: number
  readonly unread: readonly UnreadItemRow[]
}

/** Adds up what a run published. */
export class Tally {
  readonly #scopes = new Map<string, ScopeReport>()
  readonly #tables = new Map<string, TableCounts>(
    TABLES.map(({ name }) => [name, { read: 0, inserted: 0, updated: 0, deleted: 0 }]),
  )
  losses = 0
  readonly unread: UnreadItemRow[] = []

  addPublished({ tables, scopes, losses, unread }: PublishResult): void {
    this.addTables(tables)
    this.losses += losses
    for (const item of unread) this.unread.push(item)
    for (const { scope, status, pages, read, contentHash, error, carried, warning } of scopes) {
      const of = { carried: carried?.items ?? 0, carried_since: carried?.since.toISOString() ?? null }
      this.addScope({
        ...scope,
        status,
        pages,
        read,
        content_hash: contentHash,
        error: error ?? null,
        ...of,
        ...(warning && { warning: warningReport(warning) }),
      })
    }
  }

  addTables(tables: CountsByTable): void {
    addCounts(this.#tables, tables)
  }

  add({ tables, scopes, losses, unread }: TallyData): void {
    this.addTables(tables)
    this.losses += losses
    for (const item of unread) this.unread.push(item)
    for (const scope of scopes) this.addScope(scope)
  }

  /** The counts, for another process to `add`. */
  toJSON(): TallyData {
    return { tables: this.tables, scopes: this.scopes, losses: this.losses, unread: this.unread }
  }

  addScope(scope: ScopeReport): void {
    const key = keyOf(scope.pid, scope.stream)
    const before = this.#scopes.get(key)
    this.#scopes.set(key, before ? merged(before, scope) : scope)
  }

  /** Marks the scopes of which all that is missing was accepted. */
  accept(scopes: readonly AcceptedScope[]): void {
    for (const { pid, stream, accepted } of scopes) {
      const scope = this.#scopes.get(keyOf(pid, stream))
      if (scope !== undefined && accepted !== null) this.#scopes.set(keyOf(pid, stream), { ...scope, accepted })
    }
  }

  /** Whether further items of a scope may be read: it did not fail as a whole. */
  mayFollowUp(pid: string, stream: StreamName): boolean {
    return this.isRead(pid, stream) || this.#scopes.get(keyOf(pid, stream))?.status === 'carried'
  }

  /** Whether a scope was read and stored, except for single items, by this run or by the one that it resumes. */
  isRead(pid: string, stream: StreamName): boolean {
    const { status, error } = this.#scopes.get(keyOf(pid, stream)) ?? {}
    return status === 'complete' || status === 'partial' || (status === 'skipped' && error?.code === RESUMED)
  }

  /** Listed projects for which the service answered, when they were read, that they do not exist. */
  get goneProjects(): Set<string> {
    const gone = this.scopes.filter(isProjectNotFound)
    return new Set(gone.flatMap(({ pid }) => pid ?? []))
  }

  /** In the order in which they were published first. */
  get scopes(): ScopeReport[] {
    return [...this.#scopes.values()]
  }

  get tables(): Record<string, TableCounts> {
    return Object.fromEntries(this.#tables)
  }
}

function warningReport({ code, message, waiting, isNew }: ScopeWarning): WarningReport {
  return { code, message, waiting, is_new: isNew }
}

function keyOf(pid: string | null, stream: StreamName): string {
  return JSON.stringify([pid, stream])
}

function merged(a: ScopeReport, b: ScopeReport): ScopeReport {
  const [ofA, ofB] = [a, b].map(({ status }) => STATUSES_BY_SEVERITY.indexOf(status)) as [number, number]
  // unread items are listed by themselves: a reason beside them must not be lost
  const lacksMore = ofA === ofB && a.error?.code === UNREAD_ITEMS && b.error !== null
  const worse = ofB > ofA || lacksMore ? b : a
  const hash = b.content_hash ?? a.content_hash
  const access = a.access ?? b.access
  const warning = b.warning ?? a.warning
  const waiting = (a.warning?.waiting ?? 0) + (b.warning?.waiting ?? 0)
  const carried = a.carried + b.carried
  const [since = null] = [a.carried_since, b.carried_since].filter((time) => time !== null).sort()
  return {
    ...worse,
    ...(access && { access }),
    ...(warning && { warning: { ...warning, waiting } }),
    pages: a.pages + b.pages,
    read: a.read + b.read,
    content_hash: carried === 0 ? hash : null,
    carried,
    carried_since: since,
  }
}

/** A scope that was not read, for a reason known beforehand. */
export function unreadScope(
  scope: ScopeResult['scope'],
  status: 'skipped' | 'carried' | 'failed',
  error: Reason,
): ScopeResult {
  const now = new Date()
  return { scope, status, pages: 0, read: 0, requests: 0, bytes: 0, startedAt: now, finishedAt: now, error }
}

/** Adds the counts of tables to their sums. */
export function addCounts(sums: Map<string, TableCounts>, tables: CountsByTable): void {
  for (const [name, { read, inserted, updated, deleted }] of Object.entries(tables)) {
    const sum = sums.get(name) ?? { read: 0, inserted: 0, updated: 0, deleted: 0 }
    sum.read += read
    sum.inserted += inserted
    sum.updated += updated
    sum.deleted += deleted
    sums.set(name, sum)
  }
}
