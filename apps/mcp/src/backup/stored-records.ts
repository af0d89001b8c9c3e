import type { Person, TaskState } from '@collab-etl/warehouse'

/** A comment of a post in a backup. */
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
export interface RecordQuery {
  readonly kind: StoredRecord['kind']
  readonly pid?: string | undefined
  /** Texts that each record wanted contains, in lower case, each list with its alternatives. A format may use it to skip others, or ignore it. */
  readonly holds?: readonly string[]
}

/** A format of a backup. */
export interface RecordReader {
  /** Whether it has records of this kind. */
  has(kind: StoredRecord['kind']): boolean
  /** The records of a kind, project by project. Reads the files with each call. */
  records(query: RecordQuery): AsyncGenerator<StoredRecord, void, undefined>
}

/** The state of a task. */
export function stateOf(archived: boolean, completed: boolean): TaskState {
  if (archived) return 'archived'
  return completed ? 'completed' : 'open'
}

/** The text of a JSON or YAML value; `null` for anything else. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** The fields of a JSON or YAML mapping; empty for any other value. */
export function fieldsIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function listIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(fieldsIn) : []
}

/** The service sends the Unix epoch for no date, and an empty text for no id. */
export function timeIn(value: unknown): string | null {
  const text = textIn(value)
  return text === null || text === '' || text.startsWith('1970-01-01T00:00:00') ? null : text
}
