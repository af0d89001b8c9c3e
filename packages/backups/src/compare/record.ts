export type RecordKind = 'page' | 'post'

/** A page or post of a backup, independent of the format. */
export interface DiffRecord {
  readonly kind: RecordKind
  readonly pid: string
  readonly id: string
  readonly title: string | null
  readonly parentId: string | null
  readonly content: string | null
  /** `null` for pages. */
  readonly comments: Comments | null
  /** Other columns, by name. */
  readonly fields: Readonly<Record<string, string | null>>
}

/** The comments of a post: their number and a digest of their contents. */
export interface Comments {
  readonly count: number
  readonly digest: string
}

/** Records in the order of `compareRecords`, each once. */
export type Records = AsyncIterable<DiffRecord>

/** The fields of a JSON or YAML mapping; empty for any other value. */
export function fieldsIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
