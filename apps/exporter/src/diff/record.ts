export type RecordKind = 'page' | 'post'

/** A page or post as a backup holds it, in whichever form. */
export interface DiffRecord {
  readonly kind: RecordKind
  readonly pid: string
  readonly id: string
  readonly title: string | null
  readonly parentId: string | null
  readonly content: string | null
  /** Of posts. */
  readonly comments: Comments | null
  /** All else, by the names of its columns. */
  readonly fields: Readonly<Record<string, string | null>>
}

/** The comments of a post: how many, and a digest of all that is in them. */
export interface Comments {
  readonly count: number
  readonly digest: string
}

/** Records in the order of `compareRecords`, each once. */
export type Records = AsyncIterable<DiffRecord>
