import { describe, expect, test } from 'vitest'
import { People } from '../src/people.ts'
import { eventView } from '../src/views/event.ts'
import { taskView } from '../src/views/task.ts'
import { readableSize } from '../src/views/values.ts'

const people = new People(new Map([['u1', { uid: 'u1', name: 'Ada' }]]))

describe('views of records', () => {
  test('checklist items are in the order of their positions, those without one last', () => {
    const todos = [
      { todo_id: 'a', name: 'none', checked: false, position: null },
      { todo_id: 'b', name: 'second', checked: true, position: 2 },
      { todo_id: 'c', name: 'first', checked: false, position: 1 },
    ]
    const row = { pid: 'p', tid: 't', entry_id: null, completed: false }
    const task = taskView({ table: 'tasks', row, lists: new Map([['task_todos', todos]]) }, people)
    expect(task.todos.map(({ name }) => name)).toEqual(['first', 'second', 'none'])
  })

  test('attachments of a task are named once each, and the others are counted', () => {
    const extra = { files: [{ fid: 'f1', name: 'a.pdf' }, null, 'f3'], fids: ['f1', 'f2', 7] }
    const row = { pid: 'p', tid: 't', file_count: 4, extra }
    const attachments = [
      { fid: 'f1', name: 'a.pdf' },
      { fid: 'f3', name: null },
      { fid: 'f2', name: null },
    ]
    expect(taskView({ table: 'tasks', row, lists: new Map() }, people)).toMatchObject({ attachments, unreadFiles: 1 })
    expect(taskView({ table: 'tasks', row: { ...row, extra: null }, lists: new Map() }, people)).toMatchObject({
      attachments: [],
      unreadFiles: 4,
    })
  })

  test('a person whom no record describes has no name', () => {
    const row = { pid: 'p', tid: 't' }
    const members = [{ uid: 'u1' }, { uid: 'u2' }]
    const task = taskView({ table: 'tasks', row, lists: new Map([['task_members', members]]) }, people)
    expect(task.members).toEqual([
      { uid: 'u1', name: 'Ada' },
      { uid: 'u2', name: null },
    ])
  })

  test.each([
    [0, 'does not recur'],
    [4, 'every year'],
    [9, null],
    [null, null],
  ])('recurrence %s reads: %s', (recurrence, words) => {
    const row = { pid: 'p', event_id: 'e', starts_at: '2026-01-01T00:00:00.000Z', recurrence }
    expect(eventView({ table: 'events', row, lists: new Map() }, people).recurrence).toBe(words)
  })

  test.each([
    [0n, '0 B'],
    [999n, '999 B'],
    [1_000n, '1.0 kB'],
    [9_960n, '10 kB'],
    [999_499n, '999 kB'],
    [999_500n, '1.0 MB'],
    [2n ** 63n - 1n, '9.2 EB'],
  ])('%s bytes read %s', (bytes, size) => {
    expect(readableSize(bytes)).toBe(size)
  })
})
