import type { TaskView } from '../../views/task.ts'
import type { TaskRow } from '../list-rows.ts'
import { shortened, titleOf } from '../pages/words.ts'

/** UTF-16 units of a title and of a name that lists show. */
const MAX_TITLE = 200
const MAX_NAME = 60

/** Labels and people of a task that lists show. */
const MAX_SHOWN = 12

/** The row of a task. */
export function taskRow(task: TaskView, file: string): TaskRow {
  const { groupId, position, completed, archived, dueAt, createdAt, updatedAt, labels, members, todos } = task
  return {
    file,
    title: shortened(titleOf(task.title), MAX_TITLE),
    group: groupId?.toWellFormed() ?? null,
    position,
    completed,
    archived,
    dueAt,
    createdAt,
    updatedAt,
    labels: labels.slice(0, MAX_SHOWN).map(({ name, description }) => ({
      name: shortened(name, MAX_NAME),
      description: description && shortened(description, MAX_NAME),
    })),
    people: members.slice(0, MAX_SHOWN).map(({ uid, name }) => ({
      uid: uid.toWellFormed(),
      name: name && shortened(name, MAX_NAME),
    })),
    more: Math.max(0, labels.length - MAX_SHOWN) + Math.max(0, members.length - MAX_SHOWN),
    checked: todos.filter(({ checked }) => checked).length,
    todos: todos.length,
  }
}
