import { KEYS, type PlainRow, type PlainTables } from '@collab-etl/harness/expected-rows'
import type { Stored, StoredLoss } from '../../support/stored.ts'

/** A run, and what it left. */
export interface Evidence extends Pick<Stored, 'scopes' | 'losses'> {
  readonly code: number | null
  readonly expected: PlainTables
  /** Live rows after the run. */
  readonly stored: PlainTables
  /** Live rows before the run; the service has deleted nothing since. */
  readonly before: PlainTables
}

/** Files are found through comments, and through links in every text. */
const FILE_STREAMS = ['files', 'posts', 'pages', 'tasks', 'archived_tasks', 'events']

/** Scopes that a table's rows may come from. */
const STREAMS: Readonly<Record<string, readonly string[]>> = {
  tasks: ['tasks', 'archived_tasks'],
  entries: ['tasks', 'archived_tasks'],
  task_labels: ['tasks', 'archived_tasks'],
  task_todos: ['tasks', 'archived_tasks'],
  task_members: ['tasks', 'archived_tasks'],
  task_watchers: ['tasks', 'archived_tasks'],
  pages: ['pages'],
  page_watchers: ['pages'],
  posts: ['posts'],
  post_watchers: ['posts'],
  post_comments: ['posts'],
  files: FILE_STREAMS,
  file_watchers: FILE_STREAMS,
  file_comments: FILE_STREAMS,
  comment_files: FILE_STREAMS,
  events: ['events'],
  event_attendees: ['events'],
  webhooks: ['webhooks'],
  projects: ['projects'],
  project_labels: ['projects'],
}

/** Key of a conversion issue that befell every record of a scope. */
const EVERY_RECORD = '*'

/** Names of the service's fields, where a column has another one. */
const FIELDS: Readonly<Record<string, string>> = {
  description: 'desc',
  position: 'pos',
  size_bytes: 'size',
  owner_uid: 'owner',
  due_at: 'expire_date',
  completed_at: 'completed_date',
  starts_at: 'start',
  ends_at: 'end',
}

/** Fields whose text may link to posts and files. */
const TEXTS: readonly string[] = ['content', 'desc', 'summary', 'raw_message', 'message']

/** Problems that are listed one by one. */
const SHOWN = 12

/** Exit codes of a run that says itself that it is not whole. */
const PARTIAL = 3
const NOT_AUTHORISED = 4
const NOT_WHOLE: readonly (number | null)[] = [PARTIAL, NOT_AUTHORISED]

/**
 * What the run got wrong without saying so: a row that is missing, wrong or too much though its scope is complete or the
 * exit code says that all is well; a conversion that is not listed; a row that was there before and is gone.
 */
export function problemsOf(evidence: Evidence): string[] {
  const { code, expected, stored, before } = evidence
  if (code !== 0 && !NOT_WHOLE.includes(code)) return [`exit code ${code}`]
  const problems: string[] = []
  const isNamedAtAll = evidence.scopes.some(({ status }) => status !== 'complete')
  if (code === PARTIAL && !isNamedAtAll) problems.push('exit code 3, and no scope says why')
  for (const table of Object.keys(KEYS)) {
    const [wanted, found, earlier] = [expected, stored, before].map((tables) => byKey(table, tables[table] ?? []))
    for (const [key, row] of wanted ?? []) {
      const live = found?.get(key)
      if (live === undefined && earlier?.has(key)) problems.push(`${table} ${key}: lost, it was stored before`)
      else if (live === undefined && !isNamed(table, row, evidence) && !isUnlinked(table, row, evidence)) {
        problems.push(`${table} ${key}: missing, not named`)
      }
      if (live !== undefined && !isNamed(table, row, evidence)) {
        problems.push(...differences(table, row, live, evidence).map((column) => `${table} ${key}: ${column}`))
      }
    }
    for (const key of found?.keys() ?? []) {
      if (!wanted?.has(key)) problems.push(`${table} ${key}: not in the service`)
    }
  }
  const more = problems.length - SHOWN
  return more > 0 ? [...problems.slice(0, SHOWN), `and ${more} more`] : problems
}

function byKey(table: string, rows: readonly PlainRow[]): Map<string, PlainRow> {
  return new Map(rows.map((row) => [JSON.stringify(KEYS[table]?.map((column) => row[column])), row]))
}

/** Whether the run says that the scope of this row is not whole, or that nothing proves that it is. */
function isNamed(table: string, { pid }: PlainRow, { code, scopes }: Evidence): boolean {
  if (code === NOT_AUTHORISED) return true
  const streams = STREAMS[table]
  const own = scopes.filter(
    (scope) => (streams?.includes(scope.stream) ?? true) && (pid === undefined || scope.pid === pid),
  )
  // What a user may not read is skipped, which is no failure.
  const isSaid = (status: string) => status === 'skipped' || (status !== 'complete' && code !== 0)
  return own.some(({ status, warning_code: warning }) => isSaid(status) || warning !== null)
}

/** A file to which only a text leads that the service left out: the loss of that text is listed. */
function isUnlinked(table: string, { pid }: PlainRow, { losses }: Evidence): boolean {
  const isOfFile = STREAMS[table]?.includes('files') ?? false
  return isOfFile && losses.some((loss) => loss.pid === pid && TEXTS.includes(loss.field))
}

/** Columns that differ, but for listed conversion issues; `extra` holds what was sent beyond the columns. */
function differences(table: string, wanted: PlainRow, live: PlainRow, { losses }: Evidence): string[] {
  const ids = (KEYS[table] ?? []).filter((column) => column !== 'pid').map((column) => String(wanted[column]))
  const own = losses.filter(({ pid, stream, record_key }) => {
    if (record_key === EVERY_RECORD) return pid === wanted['pid'] && STREAMS[table]?.includes(stream)
    return record_key === wanted['pid'] || ids.some((id) => record_key.includes(id))
  })
  return Object.keys(wanted)
    .filter((column) => column !== 'extra' && JSON.stringify(wanted[column]) !== JSON.stringify(live[column]))
    .filter((column) => !own.some((loss) => explains(loss, column)))
    .map((column) => `${column} is ${shown(live[column])}, not ${shown(wanted[column])}`)
}

/** Whether a conversion issue is about this column. A value that was read from another form must still be right. */
function explains({ field, kind }: StoredLoss, column: string): boolean {
  const name = FIELDS[column] ?? column
  return field.split(/[.[\]]+/).includes(name) && (kind !== 'coerced' || name === 'size')
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 60)
}
