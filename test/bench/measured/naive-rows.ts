import type { Received, Task, User } from '@collab-etl/contract'
import { EPOCH } from '@collab-etl/contract/timestamp'

/** A table's columns, and the rows for it. */
export interface NaiveTable {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

type ServiceTask = Received<typeof Task>

/** The rows of a project's tasks, computed in the simplest way. */
export function naiveTables(tasks: readonly ServiceTask[], now: Date): NaiveTable[] {
  const users = new Map<string | null, Received<typeof User>>()
  for (const task of tasks)
    for (const user of [...(task.members ?? []), ...(task.watchers ?? [])]) users.set(user.uid, user)
  const all = <T>(list: (task: ServiceTask) => readonly T[] | null, row: (item: T) => unknown[]) =>
    tasks.flatMap((task) => (list(task) ?? []).map((item) => [task.pid, task.tid, ...row(item), now]))
  const child = ['pid', 'tid']
  return [
    {
      name: 'users',
      key: ['uid'],
      columns: ['uid', 'name', 'display_name', 'avatar', 'description', 'status', 'online', 'valid_from'],
      rows: [...users.values()].map((u) => [u.uid, u.name, u.display_name, u.avatar, u.desc, u.status, u.online, now]),
    },
    {
      name: 'tasks',
      key: child,
      columns: [
        ...['pid', 'tid', 'entry_id', 'name', 'description', 'position', 'completed', 'completed_at', 'due_at'],
        ...['created_at', 'updated_at', 'archived', 'comment_count', 'todo_count', 'todo_checked_count', 'file_count'],
        'valid_from',
      ],
      rows: tasks.map((task) => [
        ...[task.pid, task.tid, task.entry_id, task.name, task.desc, task.pos, task.completed === 1],
        ...[dateOrNull(task.completed_date), dateOrNull(task.expire_date), task.created_at, task.updated_at, false],
        ...[
          task.badges?.comment_count,
          task.badges?.todo_count,
          task.badges?.todo_checked_count,
          task.badges?.file_count,
        ],
        now,
      ]),
    },
    {
      name: 'task_labels',
      key: [...child, 'name'],
      columns: [...child, 'name', 'description', 'valid_from'],
      rows: all(
        (task) => task.labels,
        (label) => [label.name, label.desc],
      ),
    },
    {
      name: 'task_todos',
      key: [...child, 'todo_id'],
      columns: [...child, 'todo_id', 'name', 'checked', 'position', 'valid_from'],
      rows: all(
        (task) => task.todos,
        (todo) => [todo.todo_id, todo.name, todo.checked === 1, todo.pos],
      ),
    },
    ...(['members', 'watchers'] as const).map((kind) => ({
      name: `task_${kind}`,
      key: [...child, 'uid'],
      columns: [...child, 'uid', 'valid_from'],
      rows: all(
        (task) => task[kind],
        (user) => [user.uid],
      ),
    })),
  ]
}

function dateOrNull(sent: string | null): string | null {
  return sent === EPOCH ? null : sent
}
