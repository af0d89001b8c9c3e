import type { Place } from '@collab-etl/backups/read'

/** What can be created in a service: pages, posts, tasks, and comments of tasks (docs/service-api.md#operations). */
export type CallKind = 'page' | 'post' | 'task' | 'comment'

/** A record of a backup that can be created again. */
export interface RestoreItem {
  readonly kind: Exclude<CallKind, 'comment'>
  readonly id: string
  readonly title: string | null
  /** Parent of a page; `null` at the top level. */
  readonly parentId: string | null
  /** The task group of a task in the backup; empty if it has none, and for pages and posts. */
  readonly entryId: string
  /** Order among siblings: by number, then by text, then by id. */
  readonly order: { readonly number: number; readonly text: string }
  /** Position of its complete record. */
  readonly place: Place
}

/** Fields of a record that was read, by the names that the service or the warehouse gives them. */
export type BackupRecord = Readonly<Record<string, unknown>>

/** Replaces an empty name, which the service rejects (docs/service-api.md#operation-4). */
const UNTITLED = 'untitled'

/** The name under which an item is created. */
export function nameOf({ title }: Pick<RestoreItem, 'title'>): string {
  return title === null || title === '' ? UNTITLED : title
}

/** The text of an item; the summary replaces a missing content. */
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
