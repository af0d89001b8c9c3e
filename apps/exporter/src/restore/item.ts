import type { Place } from '@collab-etl/backups/read'

/** What the documented operations create: pages, posts, tasks, and comments of tasks (docs/dev/service-api.md#operations). */
export const CALL_KINDS = ['page', 'post', 'task', 'comment'] as const

export type CallKind = (typeof CALL_KINDS)[number]

/** What can be created or set beyond records and their texts, where the service offers it (docs/dev/service-api.md#observed-operations). */
export const FURTHER_KINDS = [
  'group',
  'due_date',
  'label',
  'member',
  'todo',
  'todo_checked',
  'task_comment',
  'completion',
  'archived_state',
  'post_comment',
  'event',
] as const

export type FurtherKind = (typeof FURTHER_KINDS)[number]

/** What a journal records, and what reports name. */
export type AnyKind = CallKind | FurtherKind

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

/** An event of a backup. */
export interface EventItem extends Pick<RestoreItem, 'id' | 'title' | 'place'> {
  readonly kind: 'event'
  /** Its start and end, as ISO times. */
  readonly start: string
}

/** Fields of a record that was read, by the names that the service or the warehouse gives them. */
export type BackupRecord = Readonly<Record<string, unknown>>

/** A record of a backup with its comments. */
export interface CommentedRecord {
  readonly record: BackupRecord
  readonly comments: readonly BackupRecord[]
  readonly archived: boolean
}

/** Replaces an empty name, which the service rejects (docs/dev/service-api.md#operation-4). */
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
