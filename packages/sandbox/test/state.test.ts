import { EPOCH } from '@collab-etl/contract/timestamp'
import { expect, test } from 'vitest'
import { REFERENCE_TIME, type Sandbox } from '../src/index.ts'
import { operate, sandboxForTest } from './support.ts'

/** A copy of the first project. */
const first = (sandbox: Sandbox) => structuredClone(sandbox.store.project(sandbox.pids[0] ?? ''))
const CALLER = { name: 'Nora Lindqvist' }

test('a new task is open, watched by its creator, and in the next list', async () => {
  const sandbox = await sandboxForTest()
  const { reference, entries } = first(sandbox)
  const [entry] = entries
  const { pid } = reference
  const params = { pid, name: 'Aufgabe “1”', entry_id: entry?.entry_id ?? '', desc: 'line 1\nline 2' }
  const { json } = await operate(sandbox, 'tasks.create', params)
  expect(json).toEqual({
    ...params,
    entry_name: entry?.name,
    tid: expect.stringMatching(/^[0-9a-f]{24}$/),
    project: reference,
    completed: 0,
    labels: [],
    todos: [],
    members: [],
    watchers: [expect.objectContaining(CALLER)],
    expire_date: EPOCH,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    badges: { expire_date: EPOCH, comment_count: 0, todo_checked_count: 0, todo_count: 0, file_count: 0 },
  })
  const listed = (await operate(sandbox, 'tasks.list', { pid })).json
  expect(listed).toContainEqual({ ...Object(json), pos: expect.any(Number), completed_date: EPOCH })
})

test("creation times follow the service's clock, which starts at the reference time", async () => {
  const sandbox = await sandboxForTest()
  const { json } = await operate(sandbox, 'posts.create', { pid: sandbox.pids[0] ?? '', name: 'n' })
  const { created_at, updated_at } = Object(json)
  expect(Date.parse(created_at)).toBeGreaterThanOrEqual(REFERENCE_TIME)
  expect(updated_at).toBe(created_at)
  const fixed = await sandboxForTest({ now: () => 1_600_000_000_123 })
  const at = await operate(fixed, 'posts.create', { pid: fixed.pids[0] ?? '', name: 'n' })
  expect(at.json).toMatchObject({ created_at: '2020-09-13T12:26:40.123Z' })
})

test('an archived task can be commented on', async () => {
  const sandbox = await sandboxForTest()
  const { reference, archived_tasks } = first(sandbox)
  const params = { pid: reference.pid, tid: archived_tasks[0]?.tid ?? '', message: 'm' }
  expect((await operate(sandbox, 'tasks.comments.create', params)).status).toBe(200)
})

test('an invalid, non-object or missing body lacks the required fields', async () => {
  const sandbox = await sandboxForTest()
  const query = { pid: sandbox.pids[0] ?? '' }
  const headers = { 'content-type': 'application/json', access_token: sandbox.token }
  for (const body of ['{"name":', '', '[]', 'null', '7', '"name=x"']) {
    const url = `${sandbox.baseUrl}/v1/page?pid=${query.pid}`
    const response = await fetch(url, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject({ error_code: 120002 })
  }
})

test('deleting a task group deletes its tasks, also archived ones', async () => {
  const sandbox = await sandboxForTest()
  const { reference, entries, tasks, archived_tasks } = first(sandbox)
  const { pid } = reference
  const entry_id = entries[0]?.entry_id ?? ''
  await operate(sandbox, 'entries.delete', { pid, entry_id })
  const left = (list: readonly { entry_id: string }[]) => list.filter((task) => task.entry_id !== entry_id)
  expect((await operate(sandbox, 'tasks.list', { pid })).json).toEqual(left(tasks))
  const archived = await operate(sandbox, 'tasks.archived.list', { pid, page: 1, size: 1000 })
  expect(archived.json).toEqual(left(archived_tasks))
  expect((await operate(sandbox, 'tasks.create', { pid, name: 'n', entry_id })).json).toMatchObject({
    error_code: 600003,
  })
})

test('project and personal webhooks are kept apart', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids.find((candidate) => sandbox.store.project(candidate).webhooks.length > 0) ?? ''
  const wid = sandbox.store.project(pid).webhooks[0]?.wid ?? ''
  const personal = sandbox.store.personalWebhooks[0]?.wid ?? ''
  expect((await operate(sandbox, 'webhooks.delete', { wid })).json).toEqual({ success: 'false' })
  expect((await operate(sandbox, 'webhooks.delete', { pid, wid: personal })).json).toEqual({ success: 'false' })
  expect((await operate(sandbox, 'webhooks.delete', { wid: personal })).json).toEqual({ success: 'true' })
  expect((await operate(sandbox, 'webhooks.list')).json).toEqual([expect.objectContaining({ type: 1, pid: '' })])
  expect((await operate(sandbox, 'webhooks.list', { pid })).json).toContainEqual(
    expect.objectContaining({ wid, type: 0 }),
  )
})

test('the same changes produce the same ids for the same seed', async () => {
  const create = async (seed: number) => {
    const sandbox = await sandboxForTest({ seed, now: () => REFERENCE_TIME })
    const pid = sandbox.pids[0] ?? ''
    await operate(sandbox, 'posts.create', { pid, name: 'a' })
    return (await operate(sandbox, 'posts.create', { pid, name: 'b' })).text
  }
  expect(await create(5)).toBe(await create(5))
  expect(await create(5)).not.toBe(await create(6))
})
