import type { IssueKind, StreamBatch } from '@collab-etl/contract/streams'
import { readTimestamp } from '@collab-etl/contract/timestamp'
import { listsOf } from '../tables/index.ts'
import { commentFiles, fileComments, postComments, taskComments } from '../tables/pages-posts-files.ts'
import type { Table, TableName } from '../tables/table.ts'
import { storedId } from './text.ts'

/**
 * Child tables, and the ids of the parents whose list was not received whole; `events`: those that could not be stored; `entries`:
 * tasks that came without the id of their group.
 */
export type UnsureLists = Map<TableName, Set<string>>

const NOT_WHOLE: ReadonlySet<IssueKind> = new Set(['left_out', 'missing', 'unreadable', 'unkeyed', 'cut'])

/** The lists of a table's records, and the table that each becomes. */
const listsIn = (name: TableName): ReadonlyMap<string, TableName> =>
  new Map(listsOf({ name }).flatMap((table) => (table.list === undefined ? [] : [[table.list.field, table.name]])))

const COMMENT_LISTS: ReadonlyMap<string, TableName> = new Map([
  ['files', 'comment_files'],
  ['fids', 'comment_files'],
])

const COMMENTS_OF: Partial<Record<StreamBatch['kind'], Table>> = {
  post_comment: postComments,
  file_comment: fileComments,
  task_comment: taskComments,
}

const LISTS: Partial<Record<StreamBatch['kind'], ReadonlyMap<string, TableName>>> = {
  project: listsIn('projects'),
  task: listsIn('tasks'),
  archived_task: listsIn('tasks'),
  page: listsIn('pages'),
  post: listsIn('posts'),
  post_comment: COMMENT_LISTS,
  task_comment: COMMENT_LISTS,
  event: listsIn('events'),
  file: listsIn('files'),
  file_comment: COMMENT_LISTS,
}

/**
 * Collects lists that the service left out, or of which elements could not be read: the record is stored without them, but stored
 * elements must not be marked deleted. Nor must an event whose start cannot be read.
 */
export function collectUnsure(batch: StreamBatch, into: UnsureLists): void {
  if (batch.kind === 'event') {
    const unread = batch.records.filter(({ start }) => 'loss' in readTimestamp(start))
    for (const { event_id: id } of unread) add(into, 'events', id)
  }
  const lists = LISTS[batch.kind]
  if (lists === undefined) return
  for (const { recordKey, field, kind } of batch.losses) {
    if (field === 'comments' && (kind === 'null_list' || kind === 'left_out')) {
      const table = COMMENTS_OF[batch.kind]
      if (table !== undefined) add(into, table.name, recordKey)
    }
    if (field === 'entry_id' && kind === 'left_out') add(into, 'entries', recordKey)
    // the list itself or a whole element of it, not a field of an element
    const list = /^(?:detail\.|comment\.)?([a-z]+)(?:\[\d+\])?$/.exec(field)?.[1]
    const table = NOT_WHOLE.has(kind) ? lists.get(list ?? '') : undefined
    if (table === undefined) continue
    add(into, table, parentId(batch.kind, recordKey))
  }
}

function add(into: UnsureLists, table: TableName, id: string): void {
  const ids = into.get(table) ?? new Set()
  ids.add(storedId(id))
  into.set(table, ids)
}

/** The id of the record that holds the list, out of its key: an event's comes before its start, a comment's is all of it. */
function parentId(kind: StreamBatch['kind'], recordKey: string): string {
  const comments = COMMENTS_OF[kind]
  const parentKind = comments && commentFiles.parent?.as?.[comments.name]?.fixed['parent_kind']
  if (parentKind !== undefined) return `${parentKind} ${recordKey}`
  const space = recordKey.lastIndexOf(' ')
  return kind === 'event' && space >= 0 ? recordKey.slice(0, space) : recordKey
}
