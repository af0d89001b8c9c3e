/** What can be created in a service: pages, posts, tasks, and comments of tasks (docs/service-api.md#operations). */
export type CallKind = 'page' | 'post' | 'task' | 'comment'

/** A record of a backup that can be created again. */
export interface RestoreItem {
  readonly kind: Exclude<CallKind, 'comment'>
  readonly id: string
  readonly title: string | null
  /** Of pages: the page above; `null` at the top. */
  readonly parentId: string | null
  /** Among its siblings: by number, then by text, then by id. */
  readonly order: { readonly number: number; readonly text: string }
  /** Where its whole record lies. */
  readonly place: {
    readonly path: string
    readonly offset: number
    readonly length: number
    /** Of the line, to notice a later change of the file. */
    readonly sha256: string
  }
}

/** Fields of a record that was read, by the names that the service or the warehouse gives them. */
export type BackupRecord = Readonly<Record<string, unknown>>

/** The name that is given to what has none: the service takes no empty one (docs/service-api.md#operation-4). */
const UNTITLED = 'untitled'

/** The name under which an item is created. */
export function nameOf({ title }: Pick<RestoreItem, 'title'>): string {
  return title === null || title === '' ? UNTITLED : title
}

/** The text that an item is created with: the summary stands in for content that is not there. */
export function contentOf(kind: RestoreItem['kind'], record: BackupRecord): string {
  const texts = kind === 'task' ? [record['desc']] : [record['content'], record['summary']]
  return texts.find((text) => typeof text === 'string') ?? ''
}

export function textIn(record: BackupRecord, field: string): string | null {
  const found = record[field]
  return typeof found === 'string' ? found : null
}

export function listIn(record: BackupRecord, field: string): readonly BackupRecord[] {
  const found = record[field]
  return Array.isArray(found) ? found.filter((item) => typeof item === 'object' && item !== null) : []
}
