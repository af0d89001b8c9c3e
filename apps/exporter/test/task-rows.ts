import type { SourceRow } from '../src/source/backup-rows.ts'
import { projectRow, taskRow } from './rows.ts'

const PEOPLE = ['u1', 'u2', 'u3'] as const

const DAY = 86_400_000

/** When the data was read, in `handMadeSource`. */
const AS_OF = Date.parse('2024-01-01T00:00:00.000Z')

/** So many tasks in three groups and in none, with labels, people, checklists and due dates; one in ten is archived. */
export function taskTables(count: number, change: (row: SourceRow, index: number) => SourceRow = (row) => row) {
  const tasks = Array.from({ length: count }, (_, index) => {
    const row = taskRow('P1', `t${index + 10_000}`, `Task ${index}`, {
      entry_id: index % 4 === 3 ? null : `e${index % 4}`,
      position: (index * 7919) % 1000,
      completed: index % 3 === 0,
      archived: index % 10 === 9,
      description: `About **${index}**.`,
      due_at: index % 2 === 0 ? null : new Date(AS_OF + ((index % 41) - 20) * DAY).toISOString(),
      updated_at: `${2020 + (index % 3)}-05-01T08:00:00.000Z`,
    })
    return change(row, index)
  })
  const of = (step: number, make: (tid: unknown, index: number) => SourceRow) =>
    tasks.flatMap(({ tid }, index) => (index % step === 0 ? [{ pid: 'P1', ...make(tid, index) }] : []))
  return {
    projects: [projectRow('P1', 'Many')],
    project_labels: [
      { pid: 'P1', name: 'blue', description: 'calm' },
      { pid: 'P1', name: 'red', description: 'urgent' },
    ],
    users: PEOPLE.map((uid, index) => ({ uid, name: ['Ann', '李雷', 'Zoë'][index] })),
    entries: [0, 1, 2].map((number) => ({ pid: 'P1', entry_id: `e${number}`, name: `Group ${number}` })),
    tasks,
    task_labels: of(5, (tid, index) => ({ tid, name: index % 2 === 0 ? 'red' : 'blue', description: null })),
    task_members: of(2, (tid, index) => ({ tid, uid: PEOPLE[index % 3] })),
    task_todos: of(6, (tid) => ({ tid, todo_id: 'd1', name: 'First step', checked: true, position: 1 })),
  }
}
