import type { ProjectState, Sandbox, TaskRecord } from '@collab-etl/sandbox'

export const HOUR = 3_600_000
/** A service of nine projects without content. */
export const EMPTY = { projects: 9, barred: 0, tasks: 0, archived: 0, pages: 0, posts: 0, events: 0 }

export const DAY = 24 * HOUR
const EPOCH = '1970-01-01T00:00:00.000Z'

/** What happened to a task, or to a project: `tid` is empty. Projects are named by their place in the service's list. */
export type LogEvent = { readonly at: number; readonly tid: string } & (
  | { readonly kind: 'created'; readonly pid: string; readonly group: string; readonly due: number | null }
  | { readonly kind: 'completed' | 'reopened' | 'archived' | 'deleted' }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'due'; readonly due: number | null }
  | { readonly kind: 'moved'; readonly pid: string }
  | { readonly kind: 'assigned' | 'unassigned'; readonly uid: string }
  | {
      readonly kind: 'project archived' | 'project deleted' | 'access given' | 'access lost'
      readonly pid: string
    }
)

/** A task as the events of the log made it. */
export interface TaskState {
  readonly tid: string
  readonly createdAt: number
  pid: string
  group: string
  due: number | null
  completedAt: number | null
  isArchived: boolean
  isDeleted: boolean
  updatedAt: number
  readonly members: Set<string>
}

/** Applies an event to states of tasks. Archiving is no update: nothing dates an archived task but its completion. */
export function applyTo(tasks: Map<string, TaskState>, event: LogEvent): void {
  const { tid, at } = event
  if (event.kind === 'created') {
    const { pid, group, due } = event
    const state = { completedAt: null, isArchived: false, isDeleted: false, members: new Set<string>() }
    tasks.set(tid, { tid, createdAt: at, updatedAt: at, pid, group, due, ...state })
    return
  }
  const task = tasks.get(tid)
  if (task === undefined) return
  if (event.kind === 'completed') task.completedAt = at
  else if (event.kind === 'reopened') task.completedAt = null
  else if (event.kind === 'archived') task.isArchived = true
  else if (event.kind === 'deleted') task.isDeleted = true
  else if (event.kind === 'group') task.group = event.group
  else if (event.kind === 'due') task.due = event.due
  else if (event.kind === 'moved') task.pid = event.pid
  else if (event.kind === 'assigned') task.members.add(event.uid)
  else if (event.kind === 'unassigned') task.members.delete(event.uid)
  if (event.kind !== 'archived') task.updatedAt = at
}

const iso = (time: number | null) => (time === null ? EPOCH : new Date(time).toISOString())

/** Makes all projects alike: their member is the caller, and none is archived. */
export function levelProjects({ store, pids }: Sandbox): void {
  for (const pid of pids)
    store.change(pid, (project, caller) => {
      project.archived = 0
      project.visibility = 1
      project.members = [{ user: caller, role: 2, permission: 31 }]
    })
}

/** Makes the service show what the log says. */
export function show(sandbox: Sandbox, tasks: ReadonlyMap<string, TaskState>, events: readonly LogEvent[]): void {
  const { store } = sandbox
  for (const event of events) {
    if (event.kind === 'project archived')
      store.change(event.pid, (project) => void Object.assign(project, { archived: 1 }))
    else if (event.kind === 'project deleted') store.removeProject(event.pid)
    else if (event.kind === 'access given' || event.kind === 'access lost')
      store.change(event.pid, (project, caller) => {
        const others = project.members.filter(({ user }) => user.uid !== caller.uid)
        project.members = [...others, { user: caller, role: 2, permission: event.kind === 'access given' ? 31 : 0 }]
      })
  }
  for (const { reference } of store.projects)
    store.change(reference.pid, (project) => {
      const own = [...tasks.values()].filter(({ pid, isDeleted }) => pid === reference.pid && !isDeleted)
      const records = own.map((task) => ({ task, record: recordOf(task, project, store.users) }))
      project.tasks = records.filter(({ task }) => !task.isArchived).map(({ record }) => record)
      project.archived_tasks = records
        .filter(({ task }) => task.isArchived)
        .map(({ record: { pos: _, completed_date: __, ...bare } }) => bare)
    })
}

function recordOf(task: TaskState, project: ProjectState, users: Sandbox['store']['users']): TaskRecord {
  const expire = iso(task.due)
  return {
    tid: task.tid,
    pid: task.pid,
    name: `Task ${task.tid}`,
    desc: '',
    pos: 1,
    project: project.reference,
    entry_id: task.group,
    entry_name: `Group ${task.group}`,
    created_at: iso(task.createdAt),
    updated_at: iso(task.updatedAt),
    expire_date: expire,
    completed: task.completedAt === null ? 0 : 1,
    completed_date: iso(task.completedAt),
    labels: [],
    todos: [],
    watchers: [],
    members: users.filter(({ uid }) => task.members.has(uid)).map((user) => ({ ...user })),
    badges: { expire_date: expire, comment_count: 0, todo_checked_count: 0, todo_count: 0, file_count: 0 },
  }
}
