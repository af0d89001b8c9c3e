import { EPOCH } from '@collab-etl/contract/timestamp'
import { findLinks, type LinkPattern } from '@collab-etl/core/links'
import { type BackupRecord, contentOf, listIn, type RestoreItem, textIn } from './item.ts'

/** Numbers of things that cannot be created through the service's interface. */
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
  | 'events'
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
  task_comments: 'comments of tasks: the service has no operation that returns them, so no backup contains them',
  archived_tasks: 'archived tasks: --archived-tasks creates them as open tasks',
  events: 'events',
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
  kind: RestoreItem['kind'],
  record: BackupRecord,
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
  const badges = record['badges']
  if (typeof badges !== 'object' || badges === null) return
  sum.attachments += counter(badges, 'file_count')
  sum.task_comments += counter(badges, 'comment_count')
}

function counter(badges: object, name: string): number {
  const count: unknown = Object.entries(badges).find(([field]) => field === name)?.[1]
  return typeof count === 'number' ? count : 0
}
