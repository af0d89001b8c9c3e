import { EPOCH } from '@collab-etl/contract/timestamp'
import type { Frozen, ProjectState, TaskRecord } from '../store/state.ts'
import { bareTask } from '../store/views.ts'
import { type Handlers, ListPage, type Oddities, projectFor, Refusal } from './handler.ts'

const DAY = 86_400_000

export const taskHandlers: Handlers<'tasks.list' | 'tasks.archived.list' | 'tasks.today.list'> = {
  'tasks.list': (context, { pid, type }) => {
    const { tasks } = projectFor(context, pid, 'read')
    switch (type ?? 'all') {
      case 'completed':
        return tasks.filter((task) => task.completed === 1)
      case 'uncompleted':
        return tasks.filter((task) => task.completed === 0)
      case 'expired':
        return tasks.filter((task) => isOpen(task) && isDueBefore(task, context.now()))
      default:
        return context.store.list(pid, 'tasks')
    }
  },

  'tasks.archived.list': (context, { pid, page, size }) => {
    const project = projectFor(context, pid, 'read')
    const { pageCap = Number.POSITIVE_INFINITY, ignorePage, beyondEnd, zeroBasedPages } = context.limits
    const tasks = archivedTasks(project, context.limits)
    // A cap applies to all pages, so that they have no gaps.
    const length = Math.min(size, pageCap)
    const last = Math.max(0, Math.ceil(tasks.length / length) - 1)
    const index = zeroBasedPages ? page : page - 1
    if (index < 0 || (index > last && beyondEnd === 'error')) throw new Refusal('failed')
    const shown = beyondEnd === 'clamp' ? Math.min(index, last) : index
    const start = ignorePage ? 0 : shown * length
    return new ListPage(tasks.slice(start, start + length), tasks.length)
  },

  // "Expiring soon" means: assigned to the caller, open, due today or tomorrow (UTC).
  'tasks.today.list': (context) => {
    const { store } = context
    const today = Math.floor(context.now() / DAY) * DAY
    return store.projects
      .filter((project) => store.allows(project, 'read'))
      .flatMap(({ tasks }) => tasks)
      .filter((task) => task.members.some(({ uid }) => uid === store.caller.uid))
      .filter((task) => isOpen(task) && isDueBefore(task, today + 2 * DAY) && !isDueBefore(task, today))
      .map(({ completed_date: _, ...task }) => task)
  },
}

function archivedTasks({ tasks, archived_tasks }: Frozen<ProjectState>, { openTaskInArchive }: Oddities) {
  const [open] = tasks
  return openTaskInArchive && open ? [bareTask(open), ...archived_tasks] : archived_tasks
}

function isOpen(task: Frozen<TaskRecord>): boolean {
  return task.completed === 0 && task.expire_date !== EPOCH
}

function isDueBefore(task: Frozen<TaskRecord>, time: number): boolean {
  return Date.parse(task.expire_date) < time
}
