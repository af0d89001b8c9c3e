import { expectedRows, KEYS, type PlainRow } from '@collab-etl/harness/expected-rows'
import type { ProjectTruth, UserRecord } from '@collab-etl/sandbox'

/** What is stored and judged as one: the two lists of tasks share their rows. Task groups and comments of tasks have rules of their own. */
export const UNITS = {
  projects: ['projects'],
  members: ['members'],
  tasks: ['tasks', 'archived_tasks'],
  pages: ['pages'],
  posts: ['posts'],
  files: ['files'],
  events: ['events'],
} as const
export type Unit = keyof typeof UNITS
type ListStream = (typeof UNITS)[Unit][number]
export type Stream = ListStream | 'webhooks' | 'entries' | 'task_comments' | 'teams'

export interface Row {
  readonly table: string
  readonly row: PlainRow
}

const NOTHING = {
  entries: [],
  members: [],
  task_comments: {},
  tasks: [],
  archived_tasks: [],
  pages: [],
  posts: [],
  files: [],
  events: [],
  webhooks: [],
}
const RECORDS = ['projects', 'project_members', 'teams', 'tasks', 'pages', 'posts', 'files', 'events', 'entries']
/** Records of a list that is cut. */
export const MOST_CAPPED = 20
/** `expectedRows` is to show what only operations beyond the documented ones give. */
const OFFERED = { teams: [], members: [] }

/** The part of a project that a stream returns. Of two pages with one id, the later counts. */
function partOf(truth: ProjectTruth, stream: ListStream): ProjectTruth {
  const pages = [...new Map(truth.pages.map((page) => [page.page_id, page])).values()]
  const lists = { ...truth, pages }
  return { ...lists, ...NOTHING, unlinked_files: [], ...(stream !== 'projects' && { [stream]: lists[stream] }) }
}

/** Rows of one stream of a project. */
export function rowsOfStream(truth: ProjectTruth, stream: ListStream): Row[] {
  return rowsOfPart(partOf(truth, stream), stream === 'archived_tasks' ? 'tasks' : stream)
}

/** Rows of the comments of a task, also where it counts none. */
export function rowsOfComments({ tasks, archived_tasks, ...truth }: ProjectTruth, tid: string): Row[] {
  const task = [...tasks, ...archived_tasks].find((each) => each.tid === tid)
  if (task === undefined) return []
  const counted = { ...task, badges: { ...task.badges, comment_count: 1 } }
  const { task_comments } = truth
  return rowsOfPart({ ...truth, ...NOTHING, task_comments, archived_tasks: [counted] }, 'task_comments')
}

function rowsOfPart(part: ProjectTruth, place: ReturnType<typeof unitOf>): Row[] {
  const rows = Object.entries(expectedRows([part], [], OFFERED)).flatMap(([table, of]) =>
    of.map((row) => ({ table, row: plain(row) })),
  )
  const found = rows.filter((row) => unitOf(row) === place)
  return [...new Map(found.map((row) => [keyOf(row), row])).values()]
}

/** Copies of users in the answers of one stream. */
export function usersIn(truth: ProjectTruth, stream: ListStream): UserRecord[] {
  const { detail, ...lists } = partOf(truth, stream)
  return usersOf(stream === 'projects' ? detail : lists)
}

/** Copies of users in records. */
export function usersOf(records: unknown): UserRecord[] {
  const users: UserRecord[] = []
  JSON.stringify(records, (_, value) => {
    if (value?.uid !== undefined && value.avatar !== undefined) users.push(value)
    return value
  })
  return users
}

/** The unit that a row belongs to; `null` for users, teams and webhooks. */
export function unitOf({ table, row }: Row): Unit | 'entries' | 'task_comments' | null {
  if (table === 'task_comments' || row['parent_kind'] === 'task') return 'task_comments'
  if (table === 'comment_files') return `${String(row['parent_kind'])}s` as Unit // post or file
  if (table === 'entries') return table
  if (table === 'project_members') return 'members'
  if (table === 'teams') return null
  const name = table.replace(/_.*/, '').replace(/s?$/, 's')
  return name in UNITS ? (name as Unit) : null
}

export function keyOf({ table, row }: Row): string {
  return JSON.stringify([table, ...(KEYS[table] ?? []).map((column) => row[column])])
}

/** Whether the row is a record, not an element of one of its lists. */
export function isRecord({ table }: Row): boolean {
  return RECORDS.includes(table)
}

/** The record that an element of a list belongs to. */
export function parentOf({ row }: Row): string {
  const { tid, page_id, post_id, fid, parent_kind, parent_id, event_id, starts_at } = row
  if (parent_kind !== undefined) return JSON.stringify([parent_id])
  return JSON.stringify([
    tid ?? page_id ?? post_id ?? fid ?? event_id ?? null,
    ...(event_id === undefined ? [] : [starts_at]),
  ])
}

/** Columns that are not compared: those of history, and presence, which has no versions. */
const LEFT_OUT = ['valid_from', 'deleted_at', 'record_hash', 'online', 'unlisted_since', 'only_in_team']

/** A row as the database holds it: times with microseconds, no epoch as a due date, no characters that Postgres refuses. */
export function plain(row: PlainRow): PlainRow {
  const columns = Object.entries(row).filter(([column]) => !LEFT_OUT.includes(column))
  return Object.fromEntries(
    columns.map(([column, value]) => {
      if (column === 'extra' && isAttachment(value)) return [column, null]
      if (!column.endsWith('_at') || typeof value !== 'string') return [column, clean(value)]
      const time = instantOf(value)
      return [column, /^(?:due|completed)_at$/.test(column) && /^1970-01-01T00:00:00\.0*Z$/.test(time) ? null : time]
    }),
  )
}

/** Attachments of tasks: no field of the documented task holds them, so where their names are kept is left open. */
function isAttachment(extra: unknown): boolean {
  return (
    typeof extra === 'object' && extra !== null && Object.keys(extra).every((name) => ['fids', 'files'].includes(name))
  )
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd')
  return Array.isArray(value) ? value.map(clean) : value
}

/** An instant in UTC with six digits of a second; further digits are cut. */
function instantOf(text: string): string {
  const [, date, time = '00:00:00', digits = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  return `${new Date(`${date}T${time}${zone}`).toISOString().slice(0, 19)}.${digits.padEnd(6, '0').slice(0, 6)}Z`
}
