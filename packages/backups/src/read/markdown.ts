import type { Row, SourceRecord } from '@collab-etl/contract/source'
import type { MarkdownFile } from './markdown-file.ts'

/** A record of a backup. */
export interface BackupRecord extends SourceRecord {
  /** Only of Markdown: the part of the file after the text of a page or post. Comments are not parsed. */
  readonly appendix?: {
    readonly closing: string
    readonly rest: string
    /** The number of comments that the front matter states. */
    readonly comments: number
  }
}

/** The record in the file of a page, post or task, with links as the backup wrote them. Its users have only the names that the file has. */
export function markdownRecord(file: MarkdownFile, pid: string): BackupRecord {
  if (file.about['kind'] === 'task') return taskRecord(file, pid)
  const { about, content, closing, rest } = file
  const kind = about['kind'] === 'post' ? 'post' : 'page'
  const key = { pid, [`${kind}_id`]: textIn(about['id']) }
  const watchers = [
    ...new Map(
      listIn(about['watchers'])
        .flatMap(personIn)
        .map((user) => [user['uid'], user]),
    ).values(),
  ]
  const [owner] = personIn(about['owner'])
  const texts = about['content_from'] === 'summary' ? { summary: content, content: null } : { summary: null, content }
  const row: Row = {
    ...key,
    ...(kind === 'page' && { parent_id: textIn(about['parent_id']) }),
    name: textIn(about['title']),
    ...texts,
    owner_uid: owner?.['uid'] ?? null,
    extra: null,
    created_at: textIn(about['created_at']),
    updated_at: textIn(about['updated_at']),
  }
  const lists = new Map([
    [`${kind}_watchers`, watchers.map(({ uid }) => ({ ...key, uid, extra: null }))],
    ['users', [...watchers, ...(owner ? [owner] : [])]],
  ])
  const comments = typeof about['comments'] === 'number' ? about['comments'] : 0
  return { table: `${kind}s`, row, lists, appendix: { closing, rest, comments } }
}

function taskRecord({ about, content, closing, rest }: MarkdownFile, pid: string): BackupRecord {
  const key = { pid, tid: textIn(about['id']) }
  const group = textIn(about['entry_id'])
  const [members, watchers] = [about['assignees'], about['watchers']].map((list) => listIn(list).flatMap(personIn))
  const row: Row = {
    ...key,
    entry_id: group,
    name: textIn(about['title']),
    description: content,
    position: about['position'] ?? null,
    completed: about['status'] === 'done',
    completed_at: textIn(about['done']),
    due_at: textIn(about['due']),
    created_at: textIn(about['created_at']),
    updated_at: textIn(about['updated_at']),
    archived: about['archived'] === true,
    extra: null,
  }
  const uids = (users: readonly Row[] = []) => users.map(({ uid }) => ({ ...key, uid, extra: null }))
  const todos = mapsIn(about['checklist']).map(({ id, ...todo }) => ({ ...key, todo_id: id, ...todo, extra: null }))
  const lists = new Map<string, readonly Row[]>([
    ['task_labels', mapsIn(about['labels']).map((label) => ({ ...key, ...label, extra: null }))],
    ['task_todos', todos],
    ['task_members', uids(members)],
    ['task_watchers', uids(watchers)],
    ['users', [...(members ?? []), ...(watchers ?? [])]],
    ['entries', group === null ? [] : [{ pid, entry_id: group, name: textIn(about['group']), extra: null }]],
  ])
  // The checklist and other facts are between the description and the comments.
  const after = closing + rest
  const at = after.search(COMMENTS)
  const appendix = at === -1 ? { closing: after, rest: '' } : { closing: after.slice(0, at), rest: after.slice(at) }
  const comments = typeof about['comments'] === 'number' ? about['comments'] : 0
  return { table: 'tasks', row, lists, appendix: { ...appendix, comments } }
}

const COMMENTS = /\n\n<!-- collab-export: comments -->\n/

/** The row of a user. */
function personIn(value: unknown): Row[] {
  if (typeof value !== 'object' || value === null || !('uid' in value) || typeof value.uid !== 'string') return []
  return [{ uid: value.uid, name: 'name' in value ? textIn(value.name) : null, extra: null }]
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function mapsIn(value: unknown): readonly Row[] {
  return listIn(value).filter((item): item is Row => typeof item === 'object' && item !== null)
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
