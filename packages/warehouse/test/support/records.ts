import type { RecordKinds } from '@collab-etl/contract/streams'
import { EPOCH } from '@collab-etl/contract/timestamp'

const TIME = '2024-05-06T07:08:09.010Z'
type User = NonNullable<RecordKinds['page']['owner']>

/** Records as core hands them on, plausible in every field; what a test is about is given. */
export function user(uid: string, fields: Partial<User> = {}): User {
  return { uid, name: `User ${uid}`, display_name: uid, avatar: 'a.png', desc: '', status: 1, online: 0, ...fields }
}

export function task(tid: string, fields: Partial<RecordKinds['task']> = {}): RecordKinds['task'] {
  return { ...archivedTask(tid), pos: 1, completed_date: EPOCH, ...fields }
}

export function archivedTask(
  tid: string,
  fields: Partial<RecordKinds['archived_task']> = {},
): RecordKinds['archived_task'] {
  return {
    tid,
    pid: 'p1',
    name: `Task ${tid}`,
    entry_id: 'e1',
    entry_name: 'Entry 1',
    created_at: TIME,
    updated_at: TIME,
    labels: [],
    todos: [],
    badges: { expire_date: EPOCH, comment_count: 0, todo_checked_count: 0, todo_count: 0, file_count: 0 },
    watchers: [],
    members: [],
    completed: 0,
    expire_date: EPOCH,
    desc: '',
    project: { pid: 'p1', name: 'Project 1', pic: 'p.png', bg: 'blue' },
    ...fields,
  }
}

export function project(
  pid: string,
  fields: Partial<RecordKinds['project']['detail']> = {},
  listed: Partial<NonNullable<RecordKinds['project']['listed']>> | null = {},
): RecordKinds['project'] {
  const shared = {
    pid,
    name: 'Project',
    desc: 'text',
    archived: 0,
    pic: 'p.png',
    bg: 'blue',
    visibility: 1,
    team_id: 't1',
  } as const
  return {
    pid,
    detail: { ...shared, labels: [], created_by: user('u1'), ...fields },
    listed: listed && { ...shared, is_star: 0, pos: 1.5, member_count: 3, curr_role: 1, permission: 31, ...listed },
  }
}

export function page(pageId: string, fields: Partial<RecordKinds['page']> = {}): RecordKinds['page'] {
  return {
    page_id: pageId,
    parent_id: '',
    pid: 'p1',
    name: `Page ${pageId}`,
    ...written(),
    content: '# Text',
    ...fields,
  }
}

export function post(postId: string, fields: Partial<RecordKinds['post']> = {}): RecordKinds['post'] {
  return { post_id: postId, pid: 'p1', name: `Post ${postId}`, ...written(), content: '# Text', ...fields }
}

export function file(fid: string, fields: Partial<RecordKinds['file']> = {}): RecordKinds['file'] {
  const { summary, ...rest } = written()
  return {
    fid,
    pid: 'p1',
    name: `File ${fid}`,
    desc: summary,
    size: '12',
    path: `/${fid}`,
    folder_id: '',
    type: 0,
    ...rest,
    ...fields,
  }
}

export function comment(
  cid: string,
  fields: Partial<RecordKinds['post_comment']['comment']> = {},
): RecordKinds['post_comment']['comment'] {
  return {
    cid,
    message: 'hello',
    raw_message: 'hello',
    type: 1,
    format: 1,
    fids: [],
    files: [],
    owner: user('u1'),
    created_at: TIME,
    ...fields,
  }
}

export function event(
  eventId: string,
  start: string,
  fields: Partial<RecordKinds['event']> = {},
): RecordKinds['event'] {
  return {
    event_id: eventId,
    start,
    end: start,
    name: `Event ${eventId}`,
    summary: '',
    recurrence: 0,
    attendees: [],
    project: { pid: 'p1', name: 'Project 1', pic: 'p.png', bg: 'blue' },
    ...fields,
  }
}

export function webhook(wid: string, fields: Partial<RecordKinds['webhook']> = {}): RecordKinds['webhook'] {
  return {
    wid,
    pid: 'p1',
    uid: 'u1',
    name: `Hook ${wid}`,
    web_hook_url: 'https://example.org/hook',
    created_at: TIME,
    updated_at: TIME,
    actions: ['task.create'],
    is_every: 0,
    type: 0,
    ...fields,
  }
}

function written() {
  return { summary: 'text', created_at: TIME, updated_at: TIME, owner: user('u1'), watchers: [] as User[] }
}

export function member(uid: string, fields: Partial<RecordKinds['member']> = {}): RecordKinds['member'] {
  return { ...user(uid), email: `${uid}@example.org`, role: 2, join_date: TIME, ...fields }
}

export function entry(entryId: string, fields: Partial<RecordKinds['entry']> = {}): RecordKinds['entry'] {
  return { entry_id: entryId, name: `Group ${entryId}`, created_at: TIME, updated_at: TIME, pos: 1, ...fields }
}

export function team(teamId: string, fields: Partial<RecordKinds['team']> = {}): RecordKinds['team'] {
  return { team_id: teamId, name: `Team ${teamId}`, url: teamId, desc: '', created_at: TIME, ...fields }
}
