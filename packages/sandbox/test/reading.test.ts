import { EPOCH } from '@collab-etl/contract/timestamp'
import { expect, test } from 'vitest'
import { type EventRecord, REFERENCE_TIME, type Sandbox } from '../src/index.ts'
import { takesPlace } from '../src/operations/projects.ts'
import { call, operate, sandboxForTest } from './support.ts'

interface Listed {
  tid: string
  completed: number
  expire_date: string
}

async function tasks(sandbox: Sandbox, params: Record<string, string | number>): Promise<Listed[]> {
  return (await operate(sandbox, 'tasks.list', params)).json as Listed[] // the contract's tests check its shape
}

test('type filters tasks: all, completed, uncompleted, expired', async () => {
  const sandbox = await sandboxForTest({ now: () => REFERENCE_TIME })
  const pid = sandbox.pids[0] ?? ''
  const all = await tasks(sandbox, { pid })
  expect(await tasks(sandbox, { pid, type: 'all' })).toEqual(all)
  expect(await tasks(sandbox, { pid, type: '' })).toEqual(all)
  expect(await tasks(sandbox, { pid, type: 'completed' })).toEqual(all.filter(({ completed }) => completed === 1))
  expect(await tasks(sandbox, { pid, type: 'uncompleted' })).toEqual(all.filter(({ completed }) => completed === 0))
  const late = all.filter(
    (task) => task.completed === 0 && task.expire_date !== EPOCH && Date.parse(task.expire_date) < REFERENCE_TIME,
  )
  expect(await tasks(sandbox, { pid, type: 'expired' })).toEqual(late)
  expect(late).not.toEqual([])
})

test('today lists open tasks of the caller, across projects', async () => {
  const sandbox = await sandboxForTest({ tasks: 400, now: () => REFERENCE_TIME })
  const { json } = await operate(sandbox, 'tasks.today.list')
  const today = json as (Listed & { pid: string; members: { uid: string }[] })[] // the contract's tests check its shape
  expect(new Set(today.map(({ pid }) => pid)).size).toBeGreaterThan(1)
  for (const task of today) {
    expect(task.completed).toBe(0)
    expect(task.members.map(({ uid }) => uid)).toContain(sandbox.store.caller.uid)
    expect(['2026-06-15', '2026-06-16']).toContain(task.expire_date.slice(0, 10))
  }
})

test('archived pages of any size cover the whole list and end with an empty one', async () => {
  for (const pageCap of [undefined, 7]) {
    const sandbox = await sandboxForTest({ pageCap, archived: 60 })
    const pid = sandbox.pids[0] ?? ''
    const whole = sandbox.store.truth(pid).archived_tasks
    for (const size of [1, 6, 7, 8, 1000]) {
      const read: unknown[] = []
      for (let page = 1; ; page++) {
        const { json } = await operate(sandbox, 'tasks.archived.list', { pid, page, size })
        const records = json as unknown[] // the contract's tests check its shape
        expect(records.length).toBeLessThanOrEqual(Math.min(size, pageCap ?? size))
        if (records.length === 0) break
        read.push(...records)
      }
      expect(read).toEqual(whole)
    }
  }
})

test('archiving a task between two pages moves all others by one place', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const before = sandbox.store.truth(pid)
  const moved = before.tasks[0]?.tid ?? ''
  const stop = sandbox.beforeRequest(({ params }) => {
    if (params['page'] === 2) sandbox.store.archiveTask(pid, moved)
  })
  const first = await operate(sandbox, 'tasks.archived.list', { pid, page: 1, size: 5 })
  const second = await operate(sandbox, 'tasks.archived.list', { pid, page: 2, size: 5 })
  stop()
  expect(first.json).toEqual(before.archived_tasks.slice(0, 5))
  expect(second.json).toEqual(before.archived_tasks.slice(4, 9))
  expect(sandbox.store.truth(pid).archived_tasks[0]).not.toHaveProperty('pos')
})

test('events overlap the range, both ends included', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const all = sandbox.store.truth(pid).events
  const some = all.find((event) => event.start !== event.end)
  const [start, end] = [Date.parse(some?.start ?? ''), Date.parse(some?.end ?? '')]
  for (const [from, to, within] of [
    [start - 1000, start, true],
    [start - 1000, start - 1, false],
    [end, end + 1000, true],
    [end + 1, end + 1000, false],
    [start + 1, start + 1, true],
  ] as const) {
    const { json } = await operate(sandbox, 'events.list', { pid, start: from, end: to })
    const ids = (json as EventRecord[]).map(({ event_id }) => event_id) // the contract's tests check its shape
    expect(ids.includes(some?.event_id ?? '')).toBe(within)
  }
  const whole = await operate(sandbox, 'events.list', { pid, start: 1_000_000_000_000, end: 9_999_999_999_999 })
  expect(whole.json).toEqual(all)
})

test('event ranges beyond the limits are rejected', async () => {
  const sandbox = await sandboxForTest({ maxEventRangeDays: 10, maxEventsPerAnswer: 0 })
  const pid = sandbox.pids[0] ?? ''
  const range = async (days: number) => {
    const start = REFERENCE_TIME - 5 * 86_400_000
    return (await operate(sandbox, 'events.list', { pid, start, end: start + days * 86_400_000 })).json
  }
  expect(await range(11)).toMatchObject({ error_code: 700001 })
  expect(await range(10)).toMatchObject({ error_code: 700002 })
})

test("today's events are those of the caller", async () => {
  const sandbox = await sandboxForTest({ now: () => REFERENCE_TIME })
  const { json } = await operate(sandbox, 'events.today.list', { pid: sandbox.pids[0] ?? '' })
  const events = json as EventRecord[] // the contract's tests check its shape
  expect(events).not.toEqual([])
  for (const { attendees } of events) expect(attendees.map(({ uid }) => uid)).toContain(sandbox.store.caller.uid)
})

test.each([
  [0, '2026-03-05', false],
  [1, '2026-03-05', true],
  [2, '2026-03-11', true],
  [2, '2026-03-12', false],
  [3, '2026-04-04', true],
  [3, '2026-04-05', false],
  [4, '2027-03-04', true],
  [4, '2026-04-04', false],
  [1, '2026-03-03', false],
])('recurrence %i of an event of 2026-03-04 takes place on %s: %s', (recurrence, day, expected) => {
  const event = { start: '2026-03-04T10:00:00.000Z', end: '2026-03-04T11:00:00.000Z', recurrence } as EventRecord // other fields are not used
  const from = Date.parse(day)
  expect(takesPlace(event, from, from + 86_400_000)).toBe(expected)
})

test('a repeated query parameter answers 400 and deletes nothing', async () => {
  const sandbox = await sandboxForTest()
  const [one = '', two] = sandbox.pids
  const pids = `pid=${one}&pid=${two}`
  const wid = sandbox.store.project(one).webhooks[0]?.wid
  for (const [method, path, code] of [
    ['GET', `/v1/tasks?${pids}`, 400],
    ['GET', `/v1/webhooks?${pids}`, 400],
    ['DELETE', `/v1/webhooks/${wid}?${pids}`, 400],
    ['GET', `/v1/events?pid=${one}&start=1500000000000&start=1600000000000&end=1700000000000`, 700001],
  ] as const) {
    const { status, json } = await call(sandbox, method, path)
    const request = expect.stringMatching(/^\/v1\/(tasks|webhooks|webhooks\/:wid|events)$/)
    expect([status, json]).toEqual([400, { error_code: code, error_message: expect.any(String), request }])
  }
  expect(sandbox.store.project(one).webhooks[0]?.wid).toBe(wid)
})
