import { EPOCH } from '@collab-etl/contract/timestamp'
import { expect, test } from 'vitest'
import { REFERENCE_TIME, type Sandbox } from '../src/index.ts'
import { call, operate, sandboxForTest } from './support.ts'

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
    ...{ ...params, entry_name: entry?.name, tid: expect.stringMatching(/^[0-9a-f]{24}$/), project: reference },
    ...{ completed: 0, labels: [], todos: [], members: [], watchers: [expect.objectContaining(CALLER)] },
    ...{ expire_date: EPOCH, created_at: expect.any(String), updated_at: expect.any(String) },
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

test('a comment on a task and its files count in the badges', async () => {
  const sandbox = await sandboxForTest()
  const { reference, tasks, files } = first(sandbox)
  const { pid } = reference
  const { tid = '', badges } = tasks[0] ?? {}
  const fids = files.slice(0, 2).map(({ file }) => file.fid)
  const { json } = await operate(sandbox, 'tasks.comments.create', { pid, tid, message: 'Hallo', fids })
  expect(json).toMatchObject({ message: 'Hallo', fids, type: 1, format: 1, uid: sandbox.store.caller.uid, client: 1 })
  expect(Object(json).files).toEqual(fids.map((fid) => expect.objectContaining({ fid, pid })))
  expect(json).not.toHaveProperty('raw_message')
  const listed = (await operate(sandbox, 'tasks.list', { pid })).json as { tid: string; badges: object }[] // checked below
  const { comment_count = 0, file_count = 0 } = badges ?? {}
  expect(listed.find((task) => task.tid === tid)?.badges).toMatchObject({
    comment_count: comment_count + 1,
    file_count: file_count + 2,
  })
  expect(sandbox.store.project(pid).task_comments[tid]).toEqual([expect.objectContaining({ raw_message: 'Hallo' })])
})

test('an archived task can be commented on', async () => {
  const sandbox = await sandboxForTest()
  const { reference, archived_tasks } = first(sandbox)
  const params = { pid: reference.pid, tid: archived_tasks[0]?.tid ?? '', message: 'm' }
  expect((await operate(sandbox, 'tasks.comments.create', params)).status).toBe(200)
})

test('JSON and form bodies are equivalent, with single and repeated keys', async () => {
  const sandbox = await sandboxForTest()
  const { reference, tasks, files } = first(sandbox)
  const { pid } = reference
  const path = `/v1/tasks/${tasks[0]?.tid}/comment`
  const [one = '', two = ''] = files.map(({ file }) => file.fid)
  const bodies = [
    { json: { message: 'ä & 中', fids: [one, two] }, expected: [one, two] },
    {
      form: [
        ['message', 'ä & 中'],
        ['fids', one],
        ['fids', two],
      ] as const,
      expected: [one, two],
    },
    {
      form: [
        ['message', 'ä & 中'],
        ['fids', one],
      ] as const,
      expected: [one],
    },
    { json: { message: 'ä & 中', fids: one }, expected: [one] },
    { form: [['message', 'ä & 中']] as const, expected: [] },
  ]
  for (const { expected, ...body } of bodies) {
    const { status, json } = await call(sandbox, 'POST', path, { query: { pid }, ...body })
    expect([status, Object(json).message, Object(json).fids]).toEqual([200, 'ä & 中', expected])
  }
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

test('a new page is listed with its content, below its parent', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const root = (await operate(sandbox, 'pages.create', { pid, name: 'Root', content: '# A\n\nb' })).json
  expect(root).toMatchObject({ name: 'Root', parent_id: '', summary: '# A b', owner: CALLER, watchers: [CALLER] })
  expect(root).not.toHaveProperty('content')
  const parent_id = Object(root).page_id
  const child = (await operate(sandbox, 'pages.create', { pid, name: 'Child', parent_id })).json
  const listed = (await operate(sandbox, 'pages.list', { pid })).json
  expect(listed).toContainEqual({ ...Object(root), content: '# A\n\nb' })
  expect(listed).toContainEqual({ ...Object(child), parent_id, content: '' })
})

test('a new post is readable in detail, without comments', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const post = (await operate(sandbox, 'posts.create', { pid, name: 'Neu', content: 'Text' })).json
  expect(post).not.toHaveProperty('content')
  expect(post).not.toHaveProperty('watchers')
  const { post_id } = Object(post)
  const detail = (await operate(sandbox, 'posts.get', { pid, post_id })).json
  expect(detail).toEqual({ ...Object(post), content: 'Text', watchers: [expect.objectContaining(CALLER)] })
  expect((await operate(sandbox, 'posts.comments.list', { pid, post_id })).json).toEqual([])
})

test('deleted records disappear and cannot be deleted twice', async () => {
  const sandbox = await sandboxForTest()
  const { reference, tasks, posts, events } = first(sandbox)
  const { pid } = reference
  const task = tasks.find(({ members, labels }) => members.length > 0 && labels.length > 0)
  const tid = task?.tid ?? ''
  const [member_id = '', label = ''] = [task?.members[0]?.uid, task?.labels[0]?.name]
  const post = posts.find(({ comments }) => comments.length > 0)
  const event = events.find(({ comments }) => comments.length > 0)
  const deletions = [
    ['tasks.members.delete', { pid, tid, member_id }, 600013],
    ['tasks.labels.delete', { pid, tid, label }, 600016],
    ['posts.comments.delete', { pid, post_id: post?.post.post_id ?? '', cid: post?.comments[0]?.cid ?? '' }, 200009],
    [
      'events.comments.delete',
      { pid, event_id: event?.event.event_id ?? '', cid: event?.comments[0]?.cid ?? '' },
      200009,
    ],
  ] as const
  for (const [id, params, code] of deletions) {
    expect((await operate(sandbox, id, params)).status, id).toBe(200)
    expect((await operate(sandbox, id, params)).json).toMatchObject({ error_code: code })
  }
  const now = sandbox.store.truth(pid)
  const taskNow = now.tasks.find((candidate) => candidate.tid === tid)
  expect(taskNow?.members).toEqual(task?.members.slice(1))
  expect(taskNow?.labels).toEqual(task?.labels.slice(1))
  const comments = await operate(sandbox, 'posts.comments.list', { pid, post_id: post?.post.post_id ?? '' })
  expect(comments.json).toEqual(post?.comments.slice(1))
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
