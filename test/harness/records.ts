import { EPOCH } from '@collab-etl/contract/timestamp'
import type {
  BareTaskRecord,
  CommentRecord,
  EventRecord,
  FileRecord,
  PageRecord,
  PostRecord,
  ProjectState,
  TaskRecord,
  UserRecord,
  WebhookRecord,
} from '@collab-etl/sandbox'

/** Records of the service (docs/dev/service-api.md#values) with short ids that tell what they are: page 3 of project P1 is `P1-G3`. */

const BEGIN = Date.UTC(2025, 0, 6, 9)
const HOUR = 3_600_000

/** The time of the n-th hour of the world. */
function hour(n: number): string {
  return new Date(BEGIN + n * HOUR).toISOString()
}

export function user(n: number): UserRecord {
  const name = `user${n}`
  return { uid: `U${n}`, name, display_name: `Üser ${n}`, avatar: `${name}.png`, desc: '', status: 1, online: n % 2 }
}

function reference(pid: string) {
  return { pid, name: `Project ${pid}`, pic: 'pic.png', bg: '#336699' }
}

/** A task that is not archived. */
export function task(pid: string, n: number): TaskRecord {
  return { ...archivedTask(pid, n), pos: n * 1024.5, completed_date: n % 2 === 1 ? hour(n + 2) : EPOCH }
}

/** An archived task, of which the service sends neither position nor time of completion. */
export function archivedTask(pid: string, n: number): BareTaskRecord {
  const due = n % 3 === 0 ? EPOCH : hour(n + 500)
  return {
    name: `Task ${pid} ${n}`,
    pid,
    tid: `${pid}-T${n}`,
    entry_id: `${pid}-E${n % 2}`,
    entry_name: `Group ${n % 2}`,
    created_at: hour(n),
    updated_at: hour(n + 1),
    labels: n % 2 === 0 ? [{ name: 'red', desc: 'urgent' }] : [],
    todos: [{ todo_id: `${pid}-T${n}-1`, name: 'look', checked: n % 2 === 0 ? 0 : 1, pos: 1.5 }],
    badges: { expire_date: due, comment_count: n, todo_checked_count: n % 2, todo_count: 1, file_count: 0 },
    watchers: [user(1)],
    members: [user(2), user(3)],
    completed: n % 2 === 0 ? 0 : 1,
    expire_date: due,
    desc: `what to do, ${n}`,
    project: reference(pid),
  }
}

export function page(pid: string, n: number, content: string, parent = ''): PageRecord {
  return {
    page_id: `${pid}-G${n}`,
    parent_id: parent,
    pid,
    name: `Page ${n}`,
    summary: `<p>${n}</p>`,
    content,
    created_at: hour(n),
    updated_at: hour(n + 3),
    owner: user(1),
    watchers: [user(1), user(2)],
  }
}

export function post(pid: string, n: number): PostRecord {
  return {
    post_id: `${pid}-N${n}`,
    pid,
    name: `Post ${n}`,
    summary: `<p>post ${n}</p>`,
    content: `post **${n}**`,
    created_at: hour(n),
    updated_at: hour(n + 4),
    owner: user(2),
    watchers: [user(3)],
  }
}

/** A comment with its attachments. */
export function comment(cid: string, message: string, attached: readonly FileRecord[] = []): CommentRecord {
  return {
    cid,
    message,
    raw_message: message,
    type: 1,
    format: 1,
    fids: attached.map(({ fid }) => fid),
    owner: user(3),
    files: attached.map(({ fid, name, desc, pid, size, path, folder_id }) => {
      return { fid, name, desc, pid, size, path, folder_id }
    }),
    created_at: hour(7),
  }
}

export function file(pid: string, n: number, folder = ''): FileRecord {
  return {
    fid: `${pid}-F${n}`,
    name: `file ${n}.txt`,
    desc: '',
    pid,
    size: String(n * 1000),
    path: `/files/${n}`,
    folder_id: folder,
    type: 0,
    created_at: hour(n),
    updated_at: hour(n),
    watchers: [user(1)],
    owner: user(1),
  }
}

export function event(pid: string, n: number): EventRecord {
  return {
    event_id: `${pid}-V${n}`,
    name: `Meeting ${n}`,
    summary: 'every so often',
    ...(n % 2 === 0 && { location: 'Office 1' }),
    start: hour(n * 1000),
    end: hour(n * 1000 + 1),
    recurrence: n % 5,
    attendees: [user(1), user(2)],
    project: reference(pid),
  }
}

/** A project's webhook, or with `pid` empty a personal one. */
export function webhook(pid: string, n: number): WebhookRecord {
  return {
    wid: `${pid}W${n}`,
    pid,
    uid: 'U1',
    name: `hook ${n}`,
    web_hook_url: `https://hooks.example.org/${n}`,
    created_at: hour(n),
    updated_at: hour(n),
    actions: pid === '' ? [] : ['task.create', 'task.update'],
    is_every: pid === '' ? 1 : 0,
    type: pid === '' ? 1 : 0,
  }
}

/** A project without any content, whose caller is the first user. */
export function emptyProject(pid: string, n: number): ProjectState {
  return {
    reference: reference(pid),
    desc: 'about it',
    archived: 0,
    visibility: 2,
    team_id: 'M1',
    labels: [{ name: 'blue', desc: 'calm' }],
    created_by: user(1),
    is_star: 0,
    pos: n + 0.5,
    members: [1, 2, 3].map((member) => ({ user: user(member), role: 2, permission: 15 })),
    entries: ['0', '1'].map((group) => ({ entry_id: `${pid}-E${group}`, name: `Group ${group}` })),
    tasks: [],
    archived_tasks: [],
    task_comments: {},
    pages: [],
    posts: [],
    files: [],
    events: [],
    webhooks: [],
    unlinked_posts: [],
    unlinked_files: [],
  }
}
