import type { OperationById, OperationRecord } from '@collab-etl/contract'

/** A project as the list shows it. */
export function project(pid: string): OperationRecord<OperationById<'projects.list'>> {
  return {
    pid,
    name: `Project ${pid}`,
    team_id: 'team',
    desc: '说明',
    archived: 0,
    pic: 'pic.png',
    bg: 'bg.png',
    visibility: 1,
    is_star: 0,
    pos: 1.5,
    member_count: 3,
    curr_role: 1,
    permission: 31,
  }
}

export function projects(count: number): ReturnType<typeof project>[] {
  return Array.from({ length: count }, (_, index) => project(`p${index}`))
}

export function user(uid: string) {
  return { uid, name: uid, display_name: uid, avatar: 'a.png', desc: '', status: 1, online: 0 }
}

export function task(tid: string) {
  return {
    tid,
    pid: 'p',
    name: `Task ${tid}`,
    entry_id: 'e',
    entry_name: 'Entry',
    created_at: '2024-01-01T00:00:00.000Z',
    updated_at: '2024-01-01T00:00:00.000Z',
    labels: [{ name: 'red', desc: '' }],
    todos: [{ todo_id: 't', name: 'todo', checked: 0, pos: 1 }],
    badges: {
      expire_date: '1970-01-01T00:00:00.000Z',
      comment_count: 0,
      todo_checked_count: 0,
      todo_count: 1,
      file_count: 0,
    },
    watchers: [user('u1')],
    members: [user('u1'), user('u2')],
    completed: 0,
    completed_date: '1970-01-01T00:00:00.000Z',
    expire_date: '1970-01-01T00:00:00.000Z',
    desc: '',
    project: { pid: 'p', name: 'P', pic: '', bg: '' },
    pos: 1,
  }
}

export function file(fid: string) {
  return {
    fid,
    name: 'plan.pdf',
    desc: '',
    pid: 'p',
    size: '10',
    path: '/plan.pdf',
    folder_id: '',
    type: 0,
    created_at: '2024-01-01T00:00:00.000Z',
    updated_at: '2024-01-01T00:00:00.000Z',
    watchers: [],
    owner: user('u1'),
  }
}
