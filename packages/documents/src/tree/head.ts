/** What the place of a page or post in the backup depends on. */
export interface Head {
  readonly id: string
  /** The id of the page above; `null` at the top, and for posts. */
  readonly parentId: string | null
  readonly title: string | null
  readonly updatedAt: string | null
}

/** Something about a record that the backup could not show as it is; `kind` is a word. */
export interface ListedIssue {
  readonly pid: string | null
  readonly stream: string
  /** The record's key; parts are joined by a space. */
  readonly record_key: string
  readonly field: string
  readonly kind: string
  /** What was there, as JSON text. */
  readonly original: string | null
}
