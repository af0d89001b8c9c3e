import { entriesOf } from '../store/people.ts'
import type { ProjectState } from '../store/state.ts'
import { type Context, existing, type Handlers, projectFor, timestamp } from './handler.ts'
import { POSITION_STEP } from './task-changes.ts'

type Entry = ProjectState['entries'][number]

export const entryHandlers: Handlers<
  'entries.list' | 'entries.create' | 'entries.rename' | 'entries.watch' | 'entries.unwatch'
> = {
  'entries.list': (context, { pid }) => entriesOf(projectFor(context, pid, 'read')),

  'entries.create': (context, { pid, name }) => {
    projectFor(context, pid, 'change')
    const time = timestamp(context)
    const entry_id = context.store.newId()
    context.store.change(pid, ({ entries }) => {
      const pos = (entries.at(-1)?.pos ?? 0) + POSITION_STEP
      entries.push({ entry_id, name, created_at: time, updated_at: time, watched: false, pos })
    })
    return existing(entriesOf(context.store.project(pid)).at(-1))
  },

  'entries.rename': (context, { pid, entry_id, name }) =>
    changeEntry(context, pid, entry_id, (entry, { tasks, archived_tasks }) => {
      entry.name = name
      entry.updated_at = timestamp(context)
      for (const task of [...tasks, ...archived_tasks]) if (task.entry_id === entry_id) task.entry_name = name
    }),

  'entries.watch': (context, { pid, entry_id }) =>
    changeEntry(context, pid, entry_id, (entry) => {
      entry.watched = true
    }),

  'entries.unwatch': (context, { pid, entry_id }) =>
    changeEntry(context, pid, entry_id, (entry) => {
      entry.watched = false
    }),
}

function changeEntry(
  context: Context,
  pid: string,
  entryId: string,
  edit: (entry: Entry, project: ProjectState) => void,
): { success: true } {
  projectFor(context, pid, 'change')
  return context.store.change(pid, (project) => {
    edit(existing(project.entries.find(({ entry_id }) => entry_id === entryId)), project)
    return { success: true }
  })
}
