import { EPOCH } from '@collab-etl/contract/timestamp'
import { findLinks, type LinkPattern } from '@collab-etl/core/links'
import { contentOf, listIn, textIn } from './item.ts'
import type { PlacedRecord } from './records.ts'

/** Numbers of things that the documented operations cannot create. */
export type Unrestorable = Record<
  | 'owners'
  | 'dates'
  | 'watchers'
  | 'post_comments'
  | 'labels'
  | 'members'
  | 'checklist_items'
  | 'due_dates'
  | 'completions'
  | 'attachments'
  | 'task_comments'
  | 'archived_tasks'
  | 'archived_states'
  | 'empty_groups'
  | 'events'
  | 'event_details'
  | 'files'
  | 'webhooks'
  | 'empty_titles'
  | 'contents_from_summary'
  | 'parents'
  | 'links',
  number
>

/** Descriptions for the report, in its order. */
export const UNRESTORABLE_WORDS: Readonly<Record<keyof Unrestorable, string>> = {
  owners: 'owners: every record belongs to the user of the token',
  dates: 'creation and update times',
  watchers: 'watchers',
  post_comments: 'comments of posts',
  labels: 'labels of tasks',
  members: 'members of tasks',
  checklist_items: 'items of checklists',
  due_dates: 'due dates',
  completions: 'completed tasks: created as open tasks',
  attachments: 'attachments of tasks',
  task_comments: 'comments of tasks: the backup does not have them, or the service does not list them',
  archived_tasks: 'archived tasks: --archived-tasks creates them',
  archived_states: 'archived tasks: created as open tasks',
  empty_groups: 'task groups without tasks',
  events: 'events',
  event_details: 'events with participants, a recurrence or a description: these are left out',
  files: 'files and folders',
  webhooks: 'webhooks',
  empty_titles: 'empty titles: replaced by "untitled", because the service rejects them',
  contents_from_summary: 'missing contents: replaced by the summary',
  parents: 'pages whose parent is missing or cyclic: created at the top level',
  links: 'links in texts to the old pages and posts: texts are not changed',
}

export function noneUnrestorable(): Unrestorable {
  const names = Object.keys(UNRESTORABLE_WORDS) as (keyof Unrestorable)[] // keys of a record are its key type
  return Object.fromEntries(names.map((name) => [name, 0])) as Unrestorable
}

/** Recognises links to records of the restored project. */
export interface OldLinks {
  readonly pid: string
  readonly patterns: readonly LinkPattern[]
}

/** Adds the parts of a record that cannot be created. */
export function countUnrestorable(
  sum: Unrestorable,
  { kind, record, comments, archived }: PlacedRecord,
  links: OldLinks,
): void {
  sum.dates += 1
  sum.watchers += listIn(record, 'watchers').length
  if (record['owner'] || record['owner_uid']) sum.owners += 1
  const name = textIn(record, 'name')
  if (name === null || name === '') sum.empty_titles += 1
  const text = contentOf(kind, record)
  for (const { kind: target, pid } of findLinks(text, links.patterns)) {
    if (target !== 'file' && (pid ?? links.pid) === links.pid) sum.links += 1
  }
  if (kind !== 'task') {
    if (textIn(record, 'content') === null && text !== '') sum.contents_from_summary += 1
    return
  }
  sum.labels += listIn(record, 'labels').length
  sum.members += listIn(record, 'members').length
  sum.checklist_items += listIn(record, 'todos').length
  if ((textIn(record, 'expire_date') ?? EPOCH) !== EPOCH) sum.due_dates += 1
  if (record['completed'] === 1) sum.completions += 1
  if (archived) sum.archived_states += 1
  const { badges } = record
  sum.attachments += counter(badges, 'file_count')
  // The count may leave out the service's own note, which the list of comments has.
  sum.task_comments += Math.max(counter(badges, 'comment_count'), comments.length)
}

function counter(badges: unknown, name: string): number {
  const fields = typeof badges === 'object' && badges !== null ? Object.entries(badges) : []
  const count: unknown = fields.find(([field]) => field === name)?.[1]
  return typeof count === 'number' ? count : 0
}
