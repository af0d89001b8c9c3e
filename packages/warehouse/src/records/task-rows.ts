import type { Badges, BareTask, Received, Task } from '@collab-etl/contract'
import { readTimestamp } from '@collab-etl/contract/timestamp'
import type { Cell, Extra } from '../tables/table.ts'
import { entriesOfTasks, taskLabels, taskMembers, tasks, taskTodos, taskWatchers } from '../tables/tasks.ts'
import { otherProject, referenceExtra } from './project-rows.ts'
import type { RowWriter } from './row-writer.ts'
import { storable } from './text.ts'

type AnyTask = Received<typeof BareTask> | Received<typeof Task>

const ENTRY_ID = tasks.columns.findIndex(({ name }) => name === 'entry_id')
const UPDATED_AT = tasks.columns.findIndex(({ name }) => name === 'updated_at')

/** The archived list does not send this field: the last known value stays. It sends no position either, but archived tasks have none. */
const NOT_IN_ARCHIVE = new Set(['completed_date'])

/** A task of the list (operation 1), or an archived one (operation 2), which comes without position and completion time. */
export function taskRows(rows: RowWriter, task: AnyTask): void {
  if (rows.isArchived) rows.leaveOut(NOT_IN_ARCHIVE)
  const cells = rows.cells(tasks, [rows.pid], task)
  writeEntry(rows, task, cells)
  rows.setExtra(cells, ownExtra(rows, task), {
    project: referenceExtra(rows, task.project),
    badges: badgesExtra(rows, task.badges, task.expire_date),
  })
  rows.row(tasks, cells, shownOf(rows, task, cells))
  const key = cells.slice(0, tasks.key.length)
  rows.list(taskLabels, task.labels, key, 'name')
  rows.list(taskTodos, task.todos, key, 'todo_id')
  rows.users(taskMembers, task.members, key)
  rows.users(taskWatchers, task.watchers, key)
}

/** Writes the task's group, unless it was written before with the same name. */
function writeEntry(rows: RowWriter, task: AnyTask, cells: readonly Cell[]): void {
  const entryId = cells[ENTRY_ID]
  if (typeof entryId !== 'string' || !rows.memory.isNewEntry(entryId, task.entry_name)) return
  writeEntryRow(rows, entryId, task)
}

export function writeEntryRow(rows: RowWriter, entryId: string, task: Pick<AnyTask, 'entry_name'>): void {
  rows.write(entriesOfTasks, [rows.pid, entryId], task, null)
}

/** How the task describes its group and project, if that differs from the first task of the scope; mostly `null`. */
function shownOf(rows: RowWriter, task: AnyTask, cells: readonly Cell[]): Record<string, unknown> | null {
  const project = otherProject(rows, task.project)
  const [entryId, updatedAt] = [cells[ENTRY_ID], cells[UPDATED_AT]]
  const time = typeof updatedAt === 'string' ? updatedAt : ''
  const name = task.entry_name === null ? null : storable(task.entry_name).text
  const isOther = typeof entryId === 'string' && rows.memory.isOtherEntryName(entryId, name, time)
  if (typeof entryId === 'string' && name !== null) {
    rows.shown.entry = [entryId, name]
    rows.shown.isExact &&= name === task.entry_name
  }
  if (project === null && !isOther) return null
  return { ...(project && { project }), ...(isOther && { entry_name: name }) }
}

/** The name of a group that has no id has no row of its own. */
function ownExtra(rows: RowWriter, task: AnyTask): Extra | undefined {
  const own = rows.withOtherPid(task.extra, task.pid)
  return task.entry_id || !task.entry_name || rows.isLeftOut('entry_id') ? own : { ...own, entry_name: task.entry_name }
}

/** The counters have columns; the due date is the task's once more (docs/dev/service-api.md#task), and kept only where it is another. */
function badgesExtra(rows: RowWriter, badges: Received<typeof Badges> | null, due: string | null): Extra | undefined {
  if (badges === null || badges.expire_date === null || isSameTime(badges.expire_date, due)) return badges?.extra
  if (rows.isLeftOut('expire_date')) return badges.extra
  return { ...badges.extra, expire_date: badges.expire_date }
}

function isSameTime(a: string, b: string | null): boolean {
  return a === b || (b !== null && instantOf(a) === instantOf(b))
}

function instantOf(text: string): string {
  const read = readTimestamp(text)
  return 'loss' in read ? text : read.value
}
