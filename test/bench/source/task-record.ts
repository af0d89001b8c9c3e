import { hexId, ID_LENGTH } from './ids.ts'
import { person } from './people.ts'

/** Placeholders of a task's values: of equal length, and unique in the record. */
export const PLACEHOLDERS = {
  pid: 'P'.repeat(ID_LENGTH),
  tid: 'T'.repeat(ID_LENGTH),
  position: '8888888',
  version: '@',
} as const

/** Variants of tasks. */
export interface TaskShape {
  /** Only the fields of the archived list. */
  readonly bare?: boolean
}

const LABELS = ['red', 'orange', 'green']
const CREATED = Date.UTC(2024, 0, 1)
const HOUR = 3_600_000
const EPOCH = new Date(0).toISOString()

/**
 * A task as the service lists it (docs/dev/service-api.md#task), with placeholders: on average 1,170 bytes, with 1.5 members, 1.5
 * watchers, 1.2 checklist items and 0.7 labels.
 */
export function taskRecord(number: number, { bare = false }: TaskShape): object {
  const items = number % 5 < 3 ? number % 5 : (number % 2) + 1
  const todos = Array.from({ length: items }, (_, index) => todo(number, index))
  const due = number % 3 === 0 ? EPOCH : time(number, 1000)
  const completed = number % 4 === 0 ? 1 : 0
  return {
    tid: PLACEHOLDERS.tid,
    name: `Prepare the release of part ${number % 97} ${PLACEHOLDERS.version}0`,
    pid: PLACEHOLDERS.pid,
    entry_id: hexId(3_900_000_000 + (number % 8)),
    entry_name: `Group ${number % 8}`,
    created_at: time(number, 0),
    updated_at: time(number, 500),
    ...(!bare && { pos: Number(PLACEHOLDERS.position) }),
    labels: LABELS.slice(0, number % 25 < 11 ? 0 : 1 + (number % 25 < 15 ? 1 : 0)).map((name) => ({
      name,
      desc: `${name} things`,
    })),
    todos,
    badges: {
      expire_date: due,
      comment_count: number % 7,
      todo_checked_count: todos.filter(({ checked }) => checked === 1).length,
      todo_count: todos.length,
      file_count: number % 3,
    },
    watchers: Array.from({ length: 1 + (number % 2) }, (_, index) => person(number * 7 + index)),
    members: Array.from({ length: 1 + ((number >> 1) % 2) }, (_, index) => person(number * 11 + index)),
    completed,
    ...(!bare && { completed_date: completed === 1 ? time(number, 900) : EPOCH }),
    expire_date: due,
    desc: number % 2 === 0 ? 'See "the plan": texts first,\nthen pictures – 先写文字.' : '',
    project: { pid: PLACEHOLDERS.pid, name: 'Bench', pic: 'icon.png', bg: '#2255aa' },
  }
}

function todo(number: number, index: number) {
  const id = hexId(3_000_000_000 + number * 10 + index)
  return {
    todo_id: id,
    name: `Step ${index + 1} of ${number % 13}`,
    checked: (number + index) % 2,
    pos: 1024 * (index + 1),
  }
}

function time(number: number, hours: number): string {
  return new Date(CREATED + (number * 7 + hours) * HOUR + (number % 1000)).toISOString()
}
