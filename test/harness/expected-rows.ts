import { EPOCH } from '@collab-etl/contract/timestamp'
import type { Frozen, MemberRecord, ProjectTruth, TeamRecord, WebhookRecord } from '@collab-etl/sandbox'

/** A row as plain values; times as ISO 8601 text. */
export type PlainRow = Readonly<Record<string, unknown>>
export type PlainTables = Readonly<Record<string, readonly PlainRow[]>>

type User = ProjectTruth['detail']['created_by']
type Comment = ProjectTruth['posts'][number]['comments'][number]
type Task = ProjectTruth['tasks'][number] | ProjectTruth['archived_tasks'][number]

/** Key columns by table. */
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  projects: ['pid'],
  project_labels: ['pid', 'name'],
  project_members: ['pid', 'uid'],
  teams: ['team_id'],
  users: ['uid'],
  entries: ['pid', 'entry_id'],
  tasks: ['pid', 'tid'],
  task_labels: ['pid', 'tid', 'name'],
  task_todos: ['pid', 'tid', 'todo_id'],
  task_members: ['pid', 'tid', 'uid'],
  task_watchers: ['pid', 'tid', 'uid'],
  task_comments: ['pid', 'tid', 'cid'],
  pages: ['pid', 'page_id'],
  page_watchers: ['pid', 'page_id', 'uid'],
  posts: ['pid', 'post_id'],
  post_watchers: ['pid', 'post_id', 'uid'],
  post_comments: ['pid', 'post_id', 'cid'],
  files: ['pid', 'fid'],
  file_watchers: ['pid', 'fid', 'uid'],
  file_comments: ['pid', 'fid', 'cid'],
  comment_files: ['pid', 'parent_kind', 'parent_id', 'cid', 'fid'],
  events: ['pid', 'event_id', 'starts_at'],
  event_attendees: ['pid', 'event_id', 'starts_at', 'uid'],
  webhooks: ['wid'],
}

export const TABLES: readonly string[] = Object.keys(KEYS)

/** A row, and the scope that gives it. */
export interface ScopedRow {
  readonly table: string
  readonly pid: string | null
  readonly stream: string
  readonly row: PlainRow
}

const NOTHING = { tasks: [], archived_tasks: [], pages: [], posts: [], files: [], events: [], webhooks: [] }

/** The rows of a project by the stream that gives them; users belong to no scope. */
export function rowsByScope(truth: ProjectTruth): ScopedRow[] {
  const { pid } = truth.detail
  return (['projects', ...Object.keys(NOTHING)] as const).flatMap((stream) => {
    const own = stream === 'projects' ? {} : { [stream]: truth[stream as keyof typeof NOTHING] } // a key of it
    return Object.entries(expectedRows([{ ...truth, ...NOTHING, ...own }], [])).flatMap(([table, rows]) => {
      if (/^project/.test(table) && stream !== 'projects') return []
      const scope = table === 'users' ? { pid: null, stream: 'users' } : { pid, stream }
      return rows.map((row) => ({ table, ...scope, row }))
    })
  })
}

/** What only a list of task groups shows. */
const UNLISTED = { position: null, created_at: null, updated_at: null }

const orNull = (id: string) => (id === '' ? null : id)
const unlessEpoch = (time: string) => (time === EPOCH ? null : time)

/**
 * The rows that a whole snapshot of the sandbox must give, worked out from its records alone: written apart from the
 * warehouse's own mapping, to be held against it.
 * @param offered teams and their members, if the sandbox offers all operations beyond the documented ones; `null`: it offers none of them
 */
export function expectedRows(
  truths: readonly ProjectTruth[],
  personalWebhooks: Frozen<WebhookRecord[]>,
  offered: { readonly teams: Frozen<TeamRecord[]>; readonly members: readonly MemberRecord[] } | null = null,
): PlainTables {
  const tables: Record<string, PlainRow[]> = {}
  const users = new Map<string, User>()
  const emails = new Map<string, string>()
  const put = (table: string, row: PlainRow) => {
    tables[table] ??= []
    tables[table].push({ extra: null, ...row })
  }
  const people = (table: string, key: PlainRow, list: readonly User[]) => {
    for (const user of list) {
      users.set(user.uid, user)
      put(table, { ...key, uid: user.uid })
    }
  }
  const owner = (user: User) => {
    users.set(user.uid, user)
    return user.uid
  }
  for (const truth of truths) {
    const { pid } = truth.detail
    putProject(truth, put, owner)
    const entries = new Map<string, string>()
    for (const task of [...truth.tasks, ...truth.archived_tasks]) {
      entries.set(task.entry_id, task.entry_name)
      putTask(pid, task, put, people)
    }
    if (offered === null) for (const [entry_id, name] of entries) put('entries', { pid, entry_id, name, ...UNLISTED })
    else putOffered(truth, put, owner, emails)
    for (const page of truth.pages) {
      const { page_id, name, summary, content, created_at, updated_at } = page
      const row = { pid, page_id, parent_id: orNull(page.parent_id), name, summary, content, created_at, updated_at }
      put('pages', { ...row, owner_uid: owner(page.owner) })
      people('page_watchers', { pid, page_id }, page.watchers)
    }
    for (const { post, comments } of truth.posts) {
      const { post_id, name, summary, content, created_at, updated_at } = post
      put('posts', { pid, post_id, name, summary, content, created_at, updated_at, owner_uid: owner(post.owner) })
      people('post_watchers', { pid, post_id }, post.watchers)
      for (const comment of comments) putComment('post_comments', { pid, post_id }, comment, put, owner)
    }
    const isFound = (fid: string) => offered !== null || !truth.unlinked_files.includes(fid)
    for (const { file, comments } of truth.files.filter(({ file }) => isFound(file.fid))) {
      const { fid, name, desc: description, path, created_at, updated_at } = file
      const row = { pid, fid, name, description, path, created_at, updated_at, type: Number(file.type) }
      const size_bytes = file.size === '' ? null : Number(file.size)
      put('files', { ...row, size_bytes, folder_id: orNull(file.folder_id), owner_uid: owner(file.owner) })
      people('file_watchers', { pid, fid }, file.watchers)
      for (const comment of comments) putComment('file_comments', { pid, fid }, comment, put, owner)
    }
    for (const event of truth.events) {
      const { event_id, name, summary, start: starts_at, end: ends_at, recurrence } = event
      const optional = { location: event.location, email: event.email, description: event.desc }
      const given = Object.fromEntries(Object.entries(optional).map(([field, value]) => [field, value ?? null]))
      put('events', { pid, event_id, starts_at, ends_at, name, summary, recurrence, ...given })
      people('event_attendees', { pid, event_id, starts_at }, event.attendees)
    }
  }
  for (const webhook of [...truths.flatMap(({ webhooks }) => webhooks), ...personalWebhooks]) putWebhook(webhook, put)
  for (const { created_by, create_by, desc: description, ...team } of offered?.teams ?? []) {
    const creator = created_by ?? create_by
    put('teams', { ...team, description, created_by_uid: creator ? owner(creator) : null })
  }
  for (const { role: _, join_date: _joined, email, ...user } of offered?.members ?? []) {
    owner(user)
    if (email !== undefined) emails.set(user.uid, email)
  }
  for (const { desc: description, ...user } of users.values()) {
    put('users', { ...user, description, email: emails.get(user.uid) ?? null })
  }
  return tables
}

/** What only operations beyond the documented ones give of a project. Comments are asked for where a task has any. */
function putOffered(truth: ProjectTruth, put: Put, owner: (user: User) => string, emails: Map<string, string>): void {
  const { pid } = truth.detail
  for (const { entry_id, name, pos: position, created_at, updated_at, watched } of truth.entries) {
    put('entries', { pid, entry_id, name, position, created_at, updated_at, extra: { watched } })
  }
  for (const { role, email, join_date: joined_at, ...user } of truth.members) {
    put('project_members', { pid, uid: owner(user), role, email: email ?? null, joined_at })
    if (email !== undefined) emails.set(user.uid, email)
  }
  for (const { tid, badges } of [...truth.tasks, ...truth.archived_tasks]) {
    if (badges.comment_count === 0) continue
    for (const comment of truth.task_comments[tid] ?? []) putComment('task_comments', { pid, tid }, comment, put, owner)
  }
}

type Put = (table: string, row: PlainRow) => void

function putProject({ detail, listed }: ProjectTruth, put: Put, owner: (user: User) => string): void {
  const { pid, name, desc: description, pic, bg, visibility } = detail
  const row = { pid, name, description, pic, bg, visibility, archived: detail.archived === 1 }
  put('projects', {
    ...row,
    team_id: orNull(detail.team_id),
    created_by_uid: owner(detail.created_by),
    is_starred: listed ? listed.is_star === 1 : null,
    position: listed?.pos ?? null,
    member_count: listed?.member_count ?? null,
    curr_role: listed?.curr_role ?? null,
    permission: listed?.permission ?? null,
  })
  for (const label of detail.labels) put('project_labels', { pid, name: label.name, description: label.desc })
}

function putTask(
  pid: string,
  task: Task,
  put: Put,
  people: (table: string, key: PlainRow, list: readonly User[]) => void,
): void {
  const { tid, name, desc: description, created_at, updated_at, badges } = task
  const archived = !('pos' in task)
  put('tasks', {
    pid,
    tid,
    name,
    description,
    created_at,
    updated_at,
    archived,
    entry_id: orNull(task.entry_id),
    position: archived ? null : task.pos,
    completed: task.completed === 1,
    completed_at: archived ? null : unlessEpoch(task.completed_date),
    due_at: unlessEpoch(task.expire_date),
    comment_count: badges.comment_count,
    todo_count: badges.todo_count,
    todo_checked_count: badges.todo_checked_count,
    file_count: badges.file_count,
  })
  for (const label of task.labels) put('task_labels', { pid, tid, name: label.name, description: label.desc })
  for (const { todo_id, name, checked, pos } of task.todos) {
    put('task_todos', { pid, tid, todo_id, name, checked: checked === 1, position: pos })
  }
  people('task_members', { pid, tid }, task.members)
  people('task_watchers', { pid, tid }, task.watchers)
}

function putComment(table: string, key: PlainRow, comment: Comment, put: Put, owner: (user: User) => string): void {
  const { cid, message, raw_message, type, format, created_at } = comment
  put(table, { ...key, cid, message, raw_message, type, format, created_at, owner_uid: owner(comment.owner) })
  const { pid, post_id, tid, fid: fileId } = key
  const parent = post_id !== undefined ? ['post', post_id] : tid !== undefined ? ['task', tid] : ['file', fileId]
  for (const { fid, name, desc: description, size, path, folder_id } of comment.files) {
    const size_bytes = size === '' ? null : Number(size)
    put('comment_files', {
      pid,
      parent_kind: parent[0],
      parent_id: parent[1],
      cid,
      fid,
      name,
      description,
      size_bytes,
      path,
      folder_id: orNull(folder_id),
    })
  }
}

function putWebhook(webhook: Frozen<WebhookRecord>, put: Put): void {
  const { wid, uid, name, web_hook_url: url, actions, type, created_at, updated_at } = webhook
  const row = { wid, uid, name, url, actions, type, created_at, updated_at, is_every: webhook.is_every === 1 }
  put('webhooks', { ...row, pid: orNull(webhook.pid) })
}
