import { EPOCH } from '@collab-etl/contract/timestamp'
import type { BareTaskRecord, Frozen, ProjectState, TaskRecord, UserRecord } from '../store/state.ts'
import { bareTask, type Right } from '../store/views.ts'
import { newComment } from './changes.ts'
import { type Context, found, type Handlers, projectFor, removeFirst, successOf, timestamp } from './handler.ts'

const TASK_MISSING = 600005
const LABEL_MISSING = 600016

/** Distance between the positions of neighbours; others can be inserted between them. */
export const POSITION_STEP = 65_536

export const taskChangeHandlers: Handlers<
  'tasks.create' | 'tasks.comments.create' | 'tasks.members.delete' | 'tasks.labels.delete' | 'entries.delete'
> = {
  // An unknown task group is not documented; it is answered with "creating … failed".
  'tasks.create': (context, { pid, name, entry_id, desc }) => {
    const { entries } = projectFor(context, pid, 'change')
    const entry = found(
      entries.find((candidate) => candidate.entry_id === entry_id),
      'failed',
    )
    const time = timestamp(context)
    return context.store.change(pid, (project, caller) => {
      const task: TaskRecord = {
        name,
        pid,
        tid: context.store.newId(),
        entry_id,
        entry_name: entry.name,
        created_at: time,
        updated_at: time,
        labels: [],
        todos: [],
        badges: { expire_date: EPOCH, comment_count: 0, todo_checked_count: 0, todo_count: 0, file_count: 0 },
        watchers: [caller],
        members: [],
        completed: 0,
        expire_date: EPOCH,
        desc: desc ?? '',
        project: project.reference,
        pos: (project.tasks.at(-1)?.pos ?? 0) + POSITION_STEP,
        completed_date: EPOCH,
      }
      project.tasks.push(task)
      return bareTask(task)
    })
  },

  // Attaching an unknown file is answered with "adding comment failed".
  'tasks.comments.create': (context, { pid, tid, message, fids = [] }) =>
    changeTask(context, 'comment', pid, tid, (task, project, owner) => {
      const { comment, answer } = newComment(context, project, { message, fids, owner })
      project.task_comments[tid] = [...(project.task_comments[tid] ?? []), comment]
      task.badges.comment_count++
      task.badges.file_count += comment.files.length
      return answer
    }),

  'tasks.members.delete': (context, { pid, tid, member_id }) =>
    changeTask(context, 'change', pid, tid, ({ members }) => {
      removeFirst(members, ({ uid }) => uid === member_id, 'failed')
      return successOf(context, true)
    }),

  'tasks.labels.delete': (context, { pid, tid, label }) =>
    changeTask(context, 'change', pid, tid, ({ labels }) => {
      removeFirst(labels, ({ name }) => name === label, LABEL_MISSING)
      return successOf(context, true)
    }),

  // Deletes all tasks of the group, archived ones included.
  'entries.delete': (context, { pid, entry_id }) => {
    projectFor(context, pid, 'change')
    return context.store.change(pid, (project) => {
      removeFirst(project.entries, (entry) => entry.entry_id === entry_id, 'failed')
      project.tasks = project.tasks.filter((task) => task.entry_id !== entry_id)
      project.archived_tasks = project.archived_tasks.filter((task) => task.entry_id !== entry_id)
      return { success: true }
    })
  },
}

export type AnyTask = TaskRecord | BareTaskRecord

/** A task, archived or not, of a project that the caller may read. */
export function taskOf(
  context: Context,
  pid: string,
  tid: string,
): { readonly project: Frozen<ProjectState>; readonly task: Frozen<AnyTask> } {
  const project = projectFor(context, pid, 'read')
  const isMeant = (task: { readonly tid: string }) => task.tid === tid
  return { project, task: found(project.tasks.find(isMeant) ?? project.archived_tasks.find(isMeant), TASK_MISSING) }
}

/** Changes a task, archived or not. With the right to read, a missing task is reported before missing rights. */
export function changeTask<T>(
  context: Context,
  right: Right,
  pid: string,
  tid: string,
  edit: (task: AnyTask, project: ProjectState, caller: UserRecord) => T,
): T {
  taskOf(context, pid, tid)
  projectFor(context, pid, right)
  const isMeant = (task: { readonly tid: string }) => task.tid === tid
  return context.store.change(pid, (project, caller) => {
    const task = found<AnyTask>(project.tasks.find(isMeant) ?? project.archived_tasks.find(isMeant), TASK_MISSING)
    const result = edit(task, project, caller)
    task.updated_at = timestamp(context)
    return result
  })
}
