/** The kinds of records that are compared, in the order in which they are read and reported within a project. */
export const RECORD_KINDS = ['event', 'file', 'page', 'post', 'task'] as const

export type RecordKind = (typeof RECORD_KINDS)[number]

/** The kind of content that the records of a kind are. */
export function contentOfKind(kind: RecordKind): `${RecordKind}s` {
  return `${kind}s`
}

/** A record of a backup, independent of the format. The occurrences of an event are one record. */
export interface DiffRecord {
  readonly kind: RecordKind
  readonly pid: string
  readonly id: string
  readonly title: string | null
  /** Parent page, task group, or folder of a file. */
  readonly parentId: string | null
  /** Text of a page or post; description of a task. */
  readonly content: string | null
  /** Of posts, of tasks, and of files in JSON lines; `null` where they are not recorded. */
  readonly comments: Comments | null
  /** Other columns, by name. */
  readonly fields: Readonly<Record<string, string | null>>
  readonly placing: Placing | null
}

/** The times and the state that decide where documents show a task, or an event: of its first occurrence. `null` for other kinds. */
export interface Placing {
  readonly startsAt: string | null
  readonly archived: boolean
  readonly createdAt: string | null
  readonly updatedAt: string | null
}

/** The comments of a post: their number and a digest of their contents. */
export interface Comments {
  readonly count: number
  readonly digest: string
}

/** Records in the order of `compareRecords`, each once. */
export type Records = AsyncIterable<DiffRecord>
