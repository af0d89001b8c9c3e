import { EPOCH } from '@collab-etl/contract/timestamp'
import type { BareTaskRecord, ProjectState, TaskRecord } from '../store/state.ts'
import { watching } from './changes.ts'
import { type Context, existing, found, type Handlers, projectFor, timestamp } from './handler.ts'
import { type AnyTask, changeTask, POSITION_STEP, taskOf } from './task-changes.ts'

const DONE = { success: true } as const

export const taskReadingHandlers: Handlers<'tasks.get' | 'tasks.comments.list'> = {
  'tasks.get': (context, { pid, tid }) => {
    const { project, task } = taskOf(context, pid, tid)
    const files = context.store.taskComments(project).files(task)
    const archived = project.archived_tasks.some((candidate) => candidate.tid === tid) ? 1 : 0
    // an archived task has neither `pos` nor `completed_date`, as in the list of archived tasks
    return { ...(task as TaskRecord), archived, files, fids: files.map(({ fid }) => fid) }
  },

  'tasks.comments.list': (context, { pid, tid }) => {
    const { project, task } = taskOf(context, pid, tid)
    return context.store.taskComments(project).of(task)
  },
}

export const taskUpdateHandlers: Handlers<
  | 'tasks.update'
  | 'tasks.complete'
  | 'tasks.uncomplete'
  | 'tasks.expire'
  | 'tasks.labels.add'
  | 'tasks.members.add'
  | 'tasks.watch'
  | 'tasks.unwatch'
  | 'tasks.comments.delete'
> = {
  'tasks.update': (context, { pid, tid, name, desc }) =>
    updateTask(context, pid, tid, (task) => {
      Object.assign(task, { name, desc: desc ?? task.desc })
    }),

  'tasks.complete': (context, { pid, tid }) => complete(context, pid, tid, 1),

  'tasks.uncomplete': (context, { pid, tid }) => complete(context, pid, tid, 0),

  'tasks.expire': (context, { pid, tid, expire }) =>
    updateTask(context, pid, tid, (task) => {
      task.expire_date = new Date(expire).toISOString()
      task.badges.expire_date = task.expire_date
    }),

  // A label that the project does not have is added without a description.
  'tasks.labels.add': (context, { pid, tid, label }) =>
    updateTask(context, pid, tid, (task, project) => {
      const added = project.labels.find(({ name }) => name === label) ?? { name: label, desc: '' }
      task.labels = [...task.labels.filter(({ name }) => name !== label), added]
    }),

  'tasks.members.add': (context, { pid, tid, uid }) =>
    updateTask(context, pid, tid, (task, project) => {
      const { user } = found(
        project.members.find((member) => member.user.uid === uid),
        'failed',
      )
      task.members = [...task.members.filter((member) => member.uid !== uid), user]
    }),

  'tasks.watch': (context, { pid, tid, uids }) =>
    updateTask(context, pid, tid, (task, project) => {
      task.watchers = watching(task.watchers, project, uids)
    }),

  'tasks.unwatch': (context, { pid, tid, uid }) =>
    updateTask(context, pid, tid, (task) => {
      task.watchers = task.watchers.filter((user) => user.uid !== uid)
    }),

  // The service's own note cannot be deleted.
  'tasks.comments.delete': (context, { pid, tid, cid }) =>
    updateTask(context, pid, tid, (task, project) => {
      const comments = context.store.taskComments(project).withoutNote(task)
      const { files } = existing(comments.find((comment) => comment.cid === cid))
      project.task_comments[tid] = comments.filter((comment) => comment.cid !== cid)
      task.badges.comment_count--
      task.badges.file_count -= files.length
    }),
}

function updateTask(
  context: Context,
  pid: string,
  tid: string,
  edit: (task: AnyTask, project: ProjectState) => void,
): { success: true } {
  changeTask(context, 'change', pid, tid, edit)
  return DONE
}

function complete(context: Context, pid: string, tid: string, completed: 0 | 1): { success: true } {
  return updateTask(context, pid, tid, (task) => {
    task.completed = completed
    if ('completed_date' in task) task.completed_date = completed === 1 ? timestamp(context) : EPOCH
  })
}

export const todoHandlers: Handlers<
  'tasks.todos.create' | 'tasks.todos.check' | 'tasks.todos.uncheck' | 'tasks.todos.rename' | 'tasks.todos.delete'
> = {
  'tasks.todos.create': (context, { pid, tid, name }) =>
    changeTask(context, 'change', pid, tid, (task) => {
      const pos = (task.todos.at(-1)?.pos ?? 0) + POSITION_STEP
      const todo = { todo_id: context.store.newId(), name, checked: 0 as const, pos }
      task.todos.push(todo)
      countTodos(task)
      return todo
    }),

  'tasks.todos.check': (context, { pid, tid, todo_id }) => check(context, pid, tid, todo_id, 1),

  'tasks.todos.uncheck': (context, { pid, tid, todo_id }) => check(context, pid, tid, todo_id, 0),

  'tasks.todos.rename': (context, { pid, tid, todo_id, name }) =>
    changeTask(context, 'change', pid, tid, (task) => Object.assign(todoOf(task, todo_id), { name })),

  'tasks.todos.delete': (context, { pid, tid, todo_id }) =>
    updateTask(context, pid, tid, (task) => {
      todoOf(task, todo_id)
      task.todos = task.todos.filter((todo) => todo.todo_id !== todo_id)
      countTodos(task)
    }),
}

function check(context: Context, pid: string, tid: string, todoId: string, checked: 0 | 1): { success: true } {
  return updateTask(context, pid, tid, (task) => {
    todoOf(task, todoId).checked = checked
    countTodos(task)
  })
}

function todoOf(task: AnyTask, todoId: string): AnyTask['todos'][number] {
  return existing(task.todos.find(({ todo_id }) => todo_id === todoId))
}

function countTodos({ badges, todos }: AnyTask): void {
  badges.todo_count = todos.length
  badges.todo_checked_count = todos.filter(({ checked }) => checked === 1).length
}

export const taskPlaceHandlers: Handlers<
  'tasks.archive' | 'tasks.unarchive' | 'tasks.archiveCompleted' | 'tasks.move' | 'tasks.delete'
> = {
  'tasks.archive': (context, { pid, tid }) => {
    updateTask(context, pid, tid, () => {})
    context.store.archiveTask(pid, tid)
    return DONE
  },

  'tasks.unarchive': (context, { pid, tid, entry_id }) =>
    updateTask(context, pid, tid, (task, project) => {
      putInto(task, project, entry_id)
      removeTask(project, tid)
      project.tasks.push(openTask(task, project))
    }),

  // Without a task group, those of the whole project.
  'tasks.archiveCompleted': (context, { pid, entry_id = '' }) => {
    const { tasks } = projectFor(context, pid, 'change')
    const completed = tasks.filter((task) => task.completed === 1 && (entry_id === '' || task.entry_id === entry_id))
    for (const { tid } of completed) context.store.archiveTask(pid, tid)
    return DONE
  },

  // The comments move, too. An archived task stays archived.
  'tasks.move': (context, { pid, tid, to_pid, to_entry_id }) => {
    projectFor(context, to_pid, 'change')
    return updateTask(context, pid, tid, (task, from) => {
      context.store.change(to_pid, (to) => {
        const comments = context.store.taskComments(from).withoutNote(task)
        const isArchived = from.archived_tasks.some((archived) => archived.tid === tid)
        putInto(task, to, to_entry_id)
        removeTask(from, tid)
        if (isArchived) to.archived_tasks.unshift(task)
        else to.tasks.push(openTask(task, to))
        if (from !== to) to.task_comments[tid] = comments
        Object.assign(task, { pid: to_pid, project: to.reference })
      })
    })
  },

  'tasks.delete': (context, { pid, tid }) =>
    updateTask(context, pid, tid, (_task, project) => {
      removeTask(project, tid)
      delete project.task_comments[tid]
    }),
}

/** Names the task group in a task. */
function putInto(task: AnyTask, { entries }: ProjectState, entryId: string): void {
  const entry = found(
    entries.find(({ entry_id }) => entry_id === entryId),
    'failed',
  )
  task.entry_id = entry.entry_id
  task.entry_name = entry.name
}

function removeTask(project: ProjectState, tid: string): void {
  project.tasks = project.tasks.filter((task) => task.tid !== tid)
  project.archived_tasks = project.archived_tasks.filter((task) => task.tid !== tid)
}

/** A task for the end of the list of tasks that are not archived; the same object, so that later changes show. */
function openTask(task: BareTaskRecord | TaskRecord, { tasks }: ProjectState): TaskRecord {
  const completed_date = 'completed_date' in task ? task.completed_date : task.completed === 1 ? task.updated_at : EPOCH
  return Object.assign(task, { pos: (tasks.at(-1)?.pos ?? 0) + POSITION_STEP, completed_date })
}
