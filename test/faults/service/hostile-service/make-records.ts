import { EPOCH } from '@collab-etl/contract/timestamp'
import type { Comment, Event, File, Page, Post, Project, Task, User, Webhook } from './records.ts'

const BEGIN = Date.UTC(2025, 0, 6, 9)
const HOUR = 3_600_000

/** The time of the n-th hour of the world. */
function hour(n: number): string {
  return new Date(BEGIN + n * HOUR).toISOString()
}

export function user(n: number): User {
  const name = `user${n}`
  return { uid: `U${n}`, name, display_name: `Üser ${n}`, avatar: `${name}.png`, desc: '', status: 1, online: n % 2 }
}

function reference(pid: string) {
  return { pid, name: `Project ${pid}`, pic: 'pic.png', bg: '#336699' }
}

/** A task; of those in the archive, the service sends neither position nor time of completion. */
export function task(pid: string, n: number, where: 'open' | 'archived'): Task {
  const due = n % 3 === 0 ? EPOCH : hour(n + 500)
  const isDone = n % 2 === 1
  return {
    name: `Task ${pid} ${n}`,
    pid,
    tid: `${pid}-T${n}`,
    entry_id: `${pid}-E${n % 2}`,
    entry_name: `Group ${n % 2}`,
    created_at: hour(n),
    updated_at: hour(n + 1),
    labels: n % 2 === 0 ? [{ name: 'red', desc: 'urgent' }] : [],
    todos: [{ todo_id: `${pid}-T${n}-1`, name: 'look', checked: n % 2, pos: 1.5 }],
    badges: { expire_date: due, comment_count: n, todo_checked_count: n % 2, todo_count: 1, file_count: 0 },
    watchers: [user(1)],
    members: [user(2), user(3)],
    completed: isDone ? 1 : 0,
    expire_date: due,
    desc: `what to do, ${n}`,
    project: reference(pid),
    ...(where === 'open' && { pos: n * 1024.5, completed_date: isDone ? hour(n + 2) : EPOCH }),
  }
}

export function page(pid: string, n: number, content: string, parent = ''): Page {
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

export function post(pid: string, n: number): Post {
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
export function comment(cid: string, message: string, attached: readonly File[] = []): Comment {
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

export function file(pid: string, n: number, folder = ''): File {
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

export function event(pid: string, n: number): Event {
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
export function webhook(pid: string, n: number): Webhook {
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

/** A project without any content. */
export function emptyProject(pid: string, n: number): Project {
  const common = { pid, name: `Project ${pid}`, desc: 'about it', archived: 0, pic: 'pic.png', bg: '#336699' }
  const team = { visibility: 2, team_id: 'M1' }
  return {
    listed: { ...common, ...team, is_star: 0, pos: n + 0.5, member_count: 3, curr_role: 2, permission: 15 },
    detail: { ...common, ...team, labels: [{ name: 'blue', desc: 'calm' }], created_by: user(1) },
    ...{ tasks: [], archived: [], pages: [], posts: [], files: [], events: [], webhooks: [] },
  }
}
