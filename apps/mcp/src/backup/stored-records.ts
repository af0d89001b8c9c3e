import type { BackupReader, RecordLine } from '@collab-etl/backups/read'
import { type MemberDetails, OTHER_TASK_COLUMNS, type Person, type TaskState } from '@collab-etl/warehouse'
import { ToolError } from '../errors.ts'

type Fields = Readonly<Record<string, unknown>>

/** A comment of a post or task in a backup. */
export interface StoredComment {
  readonly cid: string
  readonly owner: Person | null
  readonly created_at: string | null
  readonly text: string
  readonly files: readonly { readonly fid: string; readonly name: string | null }[]
}

/** What only a task has. */
export interface StoredTask {
  readonly entry_id: string | null
  readonly group: string | null
  readonly state: TaskState
  readonly due_at: string | null
  readonly completed_at: string | null
  readonly members: readonly (Person & { readonly names: readonly string[] })[]
  readonly labels: readonly { readonly name: string; readonly description: string | null }[]
  readonly todos: readonly { readonly name: string | null; readonly checked: boolean | null }[]
  readonly comment_count: number | null
  readonly file_count: number | null
  /** Fields that it shows as the service sent them, by their columns. */
  readonly others: Fields
}

/** A page, post or task of a backup, the same from every format. */
export interface StoredRecord {
  readonly kind: 'page' | 'post' | 'task'
  readonly pid: string
  readonly id: string
  readonly parentId: string | null
  readonly name: string | null
  readonly summary: string | null
  /** Text of a page or post, description of a task. */
  readonly text: string
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly owner: Person | null
  readonly comments: readonly StoredComment[]
  readonly task: StoredTask | null
}

/** Which records to read. */
interface RecordQuery {
  readonly kind: StoredRecord['kind']
  readonly pid?: string | undefined
  /** Texts in lower case; records without them may be left out. */
  readonly holds?: readonly string[]
}

/** Reads the records of a backup. */
export interface RecordReader {
  /** Whether it has records of this kind. */
  has(kind: StoredRecord['kind']): boolean
  /** The records of a kind, project by project. Reads the files with each call. */
  records(query: RecordQuery): AsyncGenerator<StoredRecord, void, undefined>
  /** The members of a project, in the order of their ids. */
  members(pid: string): AsyncGenerator<MemberDetails, void, undefined>
}

/** Each kind of records from the first format that has it. */
export function recordsOf(backup: BackupReader): RecordReader {
  return {
    has: (kind) => backup.formatOf(`${kind}s`) !== null,
    async *records({ kind, pid, holds }) {
      if (kind === 'task' && backup.formatOf('tasks') === null)
        throw new ToolError('this backup has no tasks: tasks are in its formats csv and jsonl')
      const pids = pid === undefined ? undefined : (own: string) => own === pid
      for await (const line of backup.lines(`${kind}s`, { pids, holds })) yield storedRecord(kind, line)
    },
    async *members(pid) {
      if (backup.formatOf('project_members') === null)
        throw new ToolError('this backup has no members: members are in its formats csv and jsonl')
      for await (const { record } of backup.lines('project_members', { pids: (own) => own === pid })) {
        const { uid = '', name = null } = personIn(record) ?? {}
        const role = typeof record['role'] === 'number' ? record['role'] : null
        yield { uid, name, role, email: textIn(record['email']), joined_at: textIn(record['join_date']) }
      }
    },
  }
}

function storedRecord(
  kind: StoredRecord['kind'],
  { pid, kind: wireKind, line, record, appendix }: RecordLine,
): StoredRecord {
  const comments = appendix ? commentsInText(appendix.rest, appendix.comments) : commentsIn(line['comments'])
  return {
    kind,
    pid,
    id: textIn(record[ID[kind]]) ?? '',
    parentId: textIn(record['parent_id']) || null,
    name: textIn(record['name']),
    summary: textIn(record['summary']),
    text: textIn(record[kind === 'task' ? 'desc' : 'content']) ?? '',
    created_at: timeIn(record['created_at']),
    updated_at: timeIn(record['updated_at']),
    owner: personIn(record['owner']),
    comments: kind === 'page' ? [] : comments,
    task: kind === 'task' ? taskIn(record, wireKind === 'archived_task') : null,
  }
}

const ID = { page: 'page_id', post: 'post_id', task: 'tid' } as const

function taskIn(record: Fields, archived: boolean): StoredTask {
  const badges = fieldsIn(record['badges'])
  const count = (name: string) => (typeof badges[name] === 'number' ? badges[name] : null)
  return {
    entry_id: textIn(record['entry_id']) || null,
    group: textIn(record['entry_name']) || null,
    state: archived ? 'archived' : record['completed'] ? 'completed' : 'open',
    due_at: timeIn(badges['expire_date'] ?? record['expire_date']),
    completed_at: timeIn(record['completed_date']),
    members: listIn(record['members']).map((user) => ({
      ...(personIn(user) ?? { uid: '', name: null }),
      names: [user['uid'], user['name'], user['display_name']].filter((name) => typeof name === 'string'),
    })),
    labels: listIn(record['labels']).map((label) => ({
      name: textIn(label['name']) ?? '',
      description: textIn(label['desc']),
    })),
    todos: listIn(record['todos']).map((todo) => ({ name: textIn(todo['name']), checked: Boolean(todo['checked']) })),
    comment_count: count('comment_count'),
    file_count: count('file_count'),
    others: Object.fromEntries(OTHER_TASK_COLUMNS.map(({ name, from = name }) => [name, fieldAt(record, from)])),
  }
}

/** A field by its path, such as `badges.todo_count`. */
function fieldAt(record: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => fieldsIn(value)[name] ?? null, record)
}

function personIn(value: unknown): Person | null {
  const { uid, name, display_name: nickname } = fieldsIn(value)
  return typeof uid === 'string' && uid !== '' ? { uid, name: textIn(nickname) || textIn(name) } : null
}

function commentsIn(value: unknown): StoredComment[] {
  const comments = listIn(value).map((comment) => ({
    cid: textIn(comment['cid']) ?? '',
    owner: personIn(comment['owner']),
    created_at: timeIn(comment['created_at']),
    text: textIn(comment['raw_message']) || textIn(comment['message']) || '',
    files: listIn(comment['files']).map((file) => ({ fid: textIn(file['fid']) ?? '', name: textIn(file['name']) })),
  }))
  return comments.sort(byTime)
}

/** The oldest first. */
function byTime(a: StoredComment, b: StoredComment): number {
  const [one, other] = [`${a.created_at} ${a.cid}`, `${b.created_at} ${b.cid}`]
  return one < other ? -1 : Number(one > other)
}

/** The comments in a Markdown file. One may hold the line that begins a comment: if their number is wrong, they are one text. */
function commentsInText(text: string, count: number): StoredComment[] {
  if (text === '' || count === 0) return []
  const parts = text.split(/^<!-- collab-export: comment (\S+) -->\n/m).slice(1)
  const comments = parts.flatMap((cid, index) =>
    index % 2 === 0 ? [commentInText(decodeURIComponent(cid), parts[index + 1] ?? '')] : [],
  )
  return comments.length === count ? comments : [commentInText('', text)]
}

/** Author and time are in the text. */
function commentInText(cid: string, text: string): StoredComment {
  return { cid, owner: null, created_at: null, text: text.trim(), files: [] }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {} // any object has fields
}

function listIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsIn) : []
}

/** The service sends the Unix epoch for no date, and an empty text for no id. */
function timeIn(value: unknown): string | null {
  const text = textIn(value)
  return text === null || text === '' || text.startsWith('1970-01-01T00:00:00') ? null : text
}
