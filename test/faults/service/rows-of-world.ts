import { EPOCH } from '@collab-etl/contract/timestamp'
import type { Comment, CommentFile, Project, Task, User, World } from './hostile-service/records.ts'

/** A row of a table, and its scope. */
export interface WorldRow {
  readonly table: string
  readonly pid: string | null
  readonly stream: string
  readonly row: Record<string, unknown>
}

function orNull(id: string): string | null {
  return id === '' ? null : id
}

function unlessEpoch(time: string): string | null {
  return time === EPOCH ? null : time
}

function bytes(size: string): number | null {
  return size === '' ? null : Number(size)
}

/** All rows of a world as the tables contain them, computed independently of the warehouse's mapping. */
export function rowsOfWorld({ projects, personalWebhooks }: World): WorldRow[] {
  const rows = projects.flatMap((project) => rowsOfProject(project))
  const personal = { ...EMPTY, webhooks: personalWebhooks }
  return [...rows, ...webhookRows(personal, null)]
}

const EMPTY: Pick<Project, 'webhooks'> = { webhooks: [] }

function rowsOfProject(project: Project): WorldRow[] {
  const { pid } = project.detail
  const of = (stream: string, table: string, row: Record<string, unknown>): WorldRow => {
    return { table, pid, stream, row: { extra: null, pid, ...row } }
  }
  const people = (stream: string, table: string, key: Record<string, unknown>, users: readonly User[]) =>
    users.map(({ uid }) => of(stream, table, { ...key, uid }))
  const rows = [...projectRows(project, of)]
  for (const [stream, tasks] of [['tasks', project.tasks] as const, ['archived_tasks', project.archived] as const]) {
    for (const task of tasks) {
      const { tid } = task
      rows.push(of(stream, 'tasks', taskRow(task)), of(stream, 'entries', entryRow(task)))
      rows.push(...task.labels.map(({ name, desc }) => of(stream, 'task_labels', { tid, name, description: desc })))
      rows.push(
        ...task.todos.map(({ todo_id, name, checked, pos }) =>
          of(stream, 'task_todos', { tid, todo_id, name, checked: checked === 1, position: pos }),
        ),
      )
      rows.push(...people(stream, 'task_members', { tid }, task.members))
      rows.push(...people(stream, 'task_watchers', { tid }, task.watchers))
    }
  }
  for (const { pid: _pid, parent_id, owner, watchers, ...page } of project.pages) {
    rows.push(of('pages', 'pages', { ...page, parent_id: orNull(parent_id), owner_uid: owner.uid }))
    rows.push(...people('pages', 'page_watchers', { page_id: page.page_id }, watchers))
  }
  for (const { post, comments } of project.posts) {
    const { pid: _pid, owner, watchers, ...columns } = post
    const key = { post_id: post.post_id }
    rows.push(of('posts', 'posts', { ...columns, owner_uid: owner.uid }))
    rows.push(...people('posts', 'post_watchers', key, watchers))
    rows.push(...comments.flatMap((comment) => commentRows('posts', 'post_comments', key, comment, of)))
  }
  for (const { file, comments } of project.files) {
    const { type, created_at, updated_at, owner, watchers } = file
    const key = { fid: file.fid }
    rows.push(of('files', 'files', { ...fileRow(file), type, created_at, updated_at, owner_uid: owner.uid }))
    rows.push(...people('files', 'file_watchers', key, watchers))
    rows.push(...comments.flatMap((comment) => commentRows('files', 'file_comments', key, comment, of)))
  }
  for (const { event_id, name, summary, location, start, end, recurrence, attendees } of project.events) {
    const key = { event_id, starts_at: start }
    const absent = { location: location ?? null, email: null, description: null }
    rows.push(of('events', 'events', { ...key, ends_at: end, name, summary, recurrence, ...absent }))
    rows.push(...people('events', 'event_attendees', key, attendees))
  }
  return [...rows, ...webhookRows(project, pid), ...userRows(project)]
}

type Of = (stream: string, table: string, row: Record<string, unknown>) => WorldRow

function projectRows({ detail, listed }: Project, of: Of): WorldRow[] {
  const { name, desc, pic, bg, visibility } = detail
  const { is_star, pos, member_count, curr_role, permission } = listed
  return [
    of('projects', 'projects', {
      ...{ name, description: desc, archived: detail.archived === 1, pic, bg, visibility },
      ...{ team_id: orNull(detail.team_id), is_starred: is_star === 1, position: pos },
      ...{ member_count, curr_role, permission, created_by_uid: detail.created_by.uid, unlisted_since: null },
    }),
    ...detail.labels.map((label) => of('projects', 'project_labels', { name: label.name, description: label.desc })),
  ]
}

function taskRow({ tid, entry_id, name, desc, pos, completed, badges, ...task }: Task): Record<string, unknown> {
  const { comment_count, todo_count, todo_checked_count, file_count } = badges
  return {
    ...{ tid, entry_id, name, description: desc, position: pos ?? null, completed: completed === 1 },
    completed_at: task.completed_date === undefined ? null : unlessEpoch(task.completed_date),
    due_at: unlessEpoch(task.expire_date),
    ...{ created_at: task.created_at, updated_at: task.updated_at, archived: pos === undefined },
    ...{ comment_count, todo_count, todo_checked_count, file_count },
  }
}

function entryRow({ entry_id, entry_name }: Task): Record<string, unknown> {
  return { entry_id, name: entry_name }
}

function fileRow({ fid, name, desc, size, path, folder_id }: CommentFile): Record<string, unknown> {
  return { fid, name, description: desc, size_bytes: bytes(size), path, folder_id: orNull(folder_id) }
}

function commentRows(
  stream: string,
  table: string,
  key: Record<string, unknown>,
  { cid, message, raw_message, type, format, owner, files, created_at }: Comment,
  of: Of,
): WorldRow[] {
  const columns = { ...key, cid, message, raw_message, type, format, owner_uid: owner.uid, created_at }
  const [parent_id] = Object.values(key)
  const parent = { parent_kind: table === 'post_comments' ? 'post' : 'file', parent_id, cid }
  return [
    of(stream, table, columns),
    ...files.map((file) => of(stream, 'comment_files', { ...parent, ...fileRow(file) })),
  ]
}

function webhookRows({ webhooks }: Pick<Project, 'webhooks'>, pid: string | null): WorldRow[] {
  return webhooks.map(({ pid: named, web_hook_url: url, is_every, ...columns }) => {
    const row = { extra: null, ...columns, pid: orNull(named), url, is_every: is_every === 1 }
    return { table: 'webhooks', pid, stream: 'webhooks', row }
  })
}

/** Users are the same in all worlds and are taken from the creator of the project. */
function userRows({ detail, ...lists }: Project): WorldRow[] {
  const found = new Map<string, User>()
  JSON.stringify({ detail, lists }, (_, value) => {
    if (value?.uid !== undefined && value.avatar !== undefined) found.set(value.uid, value)
    return value
  })
  return [...found.values()].map(({ desc, ...user }) => {
    return { table: 'users', pid: null, stream: 'users', row: { extra: null, ...user, description: desc } }
  })
}
