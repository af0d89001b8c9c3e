import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { SourceRecord } from '@collab-etl/contract/source'
import { listOf } from '../format.ts'
import type { People, Person } from '../people.ts'
import { keyOf, type Row, textOf } from '../row.ts'
import { type Attachment, commentsOf, type ShownComment } from './comments.ts'
import { countOf } from './values.ts'

/** The archive of tasks without a time. */
export const UNDATED = 'undated'

/** A label of a task or project; the service's labels are colour words. */
export interface Label {
  readonly name: string
  readonly description: string | null
}

/** A checklist item. */
export interface Todo {
  readonly id: string
  readonly name: string | null
  readonly checked: boolean
  readonly position: number | null
}

/** A task as documents show it (docs/dev/service-api.md#task). Times are ISO texts; `null` where the service sent none. */
export interface TaskView {
  readonly id: string
  readonly title: string | null
  /** Markdown; empty if there is none. */
  readonly description: string
  /** Id of its task group; `null` when in none. */
  readonly groupId: string | null
  /** Its place on the board; `null` for most archived tasks. */
  readonly position: number | null
  readonly archived: boolean
  readonly completed: boolean
  readonly completedAt: string | null
  readonly dueAt: string | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly labels: readonly Label[]
  /** In the order of their positions. */
  readonly todos: readonly Todo[]
  readonly members: readonly Person[]
  readonly watchers: readonly Person[]
  /** Files that real services send in undocumented fields. */
  readonly attachments: readonly Attachment[]
  readonly comments: readonly ShownComment[]
  /** Number of comments, and of further attachments, which the service counts and that were not read. */
  readonly unreadComments: number
  readonly unreadFiles: number
}

/** The view of a record of `tasks`. */
export function taskView(record: SourceRecord, people: People): TaskView {
  const { row } = record
  const attachments = attachmentsOf(row['extra'])
  const comments = commentsOf(record, people, 'task_comments')
  const files = new Set([...attachments, ...comments.flatMap((comment) => comment.attachments)].map(({ fid }) => fid))
  const persons = (table: string) => listOf(record, table).map((member) => people.person(keyOf(member, 'uid')))
  return {
    id: keyOf(row, 'tid'),
    title: textOf(row, 'name'),
    description: textOf(row, 'description') ?? '',
    groupId: textOf(row, 'entry_id'),
    position: positionOf(row),
    archived: row['archived'] === true,
    completed: row['completed'] === true,
    completedAt: textOf(row, 'completed_at'),
    dueAt: textOf(row, 'due_at'),
    createdAt: textOf(row, 'created_at'),
    updatedAt: textOf(row, 'updated_at'),
    labels: listOf(record, 'task_labels').map(labelView),
    todos: listOf(record, 'task_todos').toSorted(byPosition).map(todoView),
    members: persons('task_members'),
    watchers: persons('task_watchers'),
    attachments,
    comments,
    unreadComments: comments.length > 0 ? 0 : countOf(row, 'comment_count'),
    unreadFiles: Math.max(0, countOf(row, 'file_count') - files.size),
  }
}

/** The files of the fields `files` and `fids` in `extra`, each once. */
function attachmentsOf(extra: unknown): Attachment[] {
  const { files, fids } = (extra ?? {}) as Readonly<Record<string, unknown>> // a JSON object
  const found = new Map<string, Attachment>()
  for (const file of [...listed(files), ...listed(fids)]) {
    const { fid, name } = (typeof file === 'string' ? { fid: file } : (file ?? {})) as Readonly<Record<string, unknown>> // any JSON
    if (typeof fid !== 'string' || fid === '' || found.has(fid)) continue
    found.set(fid, { fid, name: typeof name === 'string' ? name : null })
  }
  return [...found.values()]
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The time that orders archived tasks: of the last update, or of the creation where the service sent none. */
export function archiveTime({ updatedAt, createdAt }: Pick<TaskView, 'updatedAt' | 'createdAt'>): string | null {
  return updatedAt ?? createdAt
}

/** The year of the archive that a task belongs to, in UTC; `undated` without a time, or if its year has not four digits. */
export function archiveYear(task: Pick<TaskView, 'updatedAt' | 'createdAt'>): string {
  return /^\d{4}(?=-)/.exec(archiveTime(task) ?? '')?.[0] ?? UNDATED
}

/** The view of a row of `task_labels` or `project_labels`. */
export function labelView(row: Row): Label {
  return { name: keyOf(row, 'name'), description: textOf(row, 'description') }
}

function todoView(row: Row): Todo {
  return {
    id: keyOf(row, 'todo_id'),
    name: textOf(row, 'name'),
    checked: row['checked'] === true,
    position: positionOf(row),
  }
}

function positionOf({ position }: Row): number | null {
  return typeof position === 'number' ? position : null
}

/** Items without a position come last. */
function byPosition(a: Row, b: Row): number {
  const [first, second] = [a, b].map((row) => positionOf(row) ?? Number.POSITIVE_INFINITY)
  if (first !== second && first !== undefined && second !== undefined) return first < second ? -1 : 1
  return compareBytes(keyOf(a, 'todo_id'), keyOf(b, 'todo_id'))
}
