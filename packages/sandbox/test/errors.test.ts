import { COMMON_ERRORS, type ErrorBody, type ErrorRow, OPERATIONS, type OperationId } from '@collab-etl/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../src/index.ts'
import { call, operate, operationOf, type Reply, SMALL } from './support.ts'

let sandbox: Sandbox
let pid: string
let tid: string
let post_id: string
let event_id: string
let fid: string

beforeAll(async () => {
  sandbox = await startSandbox(SMALL)
  pid = sandbox.pids[0] ?? ''
  const project = sandbox.store.project(pid)
  tid = project.tasks[0]?.tid ?? ''
  post_id = project.posts[0]?.post.post_id ?? ''
  event_id = project.events[0]?.event.event_id ?? ''
  fid = project.files[0]?.file.fid ?? ''
})
afterAll(() => sandbox.close())

const MISSING = '000000000000000000000000'
const rows = OPERATIONS.flatMap((operation) =>
  [...operation.errors, ...COMMON_ERRORS].map((row: ErrorRow) => ({ id: operation.id, ...row })),
)

function expectError(reply: Reply, id: OperationId, code: number, status: number): void {
  const body = reply.json as ErrorBody // its three fields are compared just below
  expect(body).toEqual({ error_code: code, error_message: expect.any(String), request: operationOf(id).path })
  expect(body.error_message).toMatch(/\p{Script=Han}/u)
  expect(body.error_message, 'the default message').not.toBe('请求失败')
  expect(reply.status).toBe(status)
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
}

test.each(rows)('$id answers $code on demand', async ({ id, code, status }) => {
  const fault = sandbox.faults.add({ kind: 'error', operation: id, errorCode: code })
  expectError(await operate(sandbox, id, { pid }), id, code, status)
  expect(fault.spent).toBe(true)
})

test.each(OPERATIONS.map(({ id }) => id))('%s requires a valid token', async (id) => {
  expectError(await operate(sandbox, id, { pid }, { token: null }), id, 100005, 401)
  expectError(await operate(sandbox, id, { pid }, { token: { header: '' } }), id, 100005, 401)
  expectError(await operate(sandbox, id, { pid }, { token: { header: 'wrong' } }), id, 100006, 400)
  expectError(await operate(sandbox, id, { pid }, { token: { query: 'wrong' } }), id, 100006, 400)
})

/** Requests that cause each error code. */
const natural: [OperationId, number, () => Record<string, string | number | string[]>][] = [
  ['tasks.list', 600001, () => ({})],
  ['tasks.list', 600001, () => ({ pid: MISSING })],
  ['tasks.list', 600001, () => ({ pid, type: 'late' })],
  ['tasks.archived.list', 600027, () => ({ pid: MISSING, page: 1, size: 10 })],
  ['tasks.archived.list', 600027, () => ({ pid, page: 0, size: 10 })],
  ['tasks.archived.list', 600027, () => ({ pid, page: 'x', size: 10 })],
  ['tasks.create', 600002, () => ({ pid, name: '', entry_id: 'e' })],
  ['tasks.create', 600002, () => ({ pid, name: 'n' })],
  ['tasks.create', 600003, () => ({ pid, name: 'n', entry_id: MISSING })],
  ['tasks.create', 600003, () => ({ name: 'n', entry_id: 'e' })],
  ['posts.comments.list', 900005, () => ({ pid, post_id: MISSING })],
  ['posts.comments.list', 200008, () => ({ pid: MISSING, post_id })],
  ['files.comments.list', 800004, () => ({ pid, fid: MISSING })],
  ['files.comments.list', 200008, () => ({ fid })],
  ['files.get', 800004, () => ({ pid, fid: MISSING })],
  ['files.get', 800003, () => ({ fid })],
  ['tasks.comments.create', 600005, () => ({ pid, tid: MISSING, message: 'm' })],
  ['tasks.comments.create', 200007, () => ({ pid, tid, message: '' })],
  ['tasks.comments.create', 200006, () => ({ pid, tid, message: 'm', fids: [MISSING] })],
  ['tasks.comments.create', 200006, () => ({ pid: MISSING, tid, message: 'm' })],
  ['pages.create', 120002, () => ({ pid, name: '' })],
  ['pages.create', 120003, () => ({ pid, name: 'n', parent_id: MISSING })],
  ['pages.create', 120003, () => ({ name: 'n' })],
  ['pages.list', 120001, () => ({})],
  ['posts.get', 900005, () => ({ pid, post_id: MISSING })],
  ['posts.get', 900004, () => ({ post_id })],
  ['projects.get', 400004, () => ({ pid: MISSING })],
  ['events.today.list', 700001, () => ({})],
  ['events.today.list', 700012, () => ({ pid: MISSING })],
  ['posts.create', 900002, () => ({ pid, content: 'c' })],
  ['posts.create', 900003, () => ({ pid: MISSING, name: 'n' })],
  ['tasks.members.delete', 600005, () => ({ pid, tid: MISSING, member_id: MISSING })],
  ['tasks.members.delete', 600013, () => ({ pid, tid, member_id: MISSING })],
  ['events.comments.delete', 700009, () => ({ pid, event_id: MISSING, cid: MISSING })],
  ['events.comments.delete', 200009, () => ({ pid, event_id, cid: MISSING })],
  ['posts.comments.delete', 900005, () => ({ pid, post_id: MISSING, cid: MISSING })],
  ['posts.comments.delete', 200009, () => ({ pid, post_id, cid: MISSING })],
  ['tasks.labels.delete', 600005, () => ({ pid, tid: MISSING, label: 'red' })],
  ['tasks.labels.delete', 600016, () => ({ pid, tid, label: 'no such colour' })],
  ['tasks.labels.delete', 600017, () => ({ pid, tid })],
  ['entries.delete', 500006, () => ({ pid, entry_id: MISSING })],
  ['events.list', 700001, () => ({ pid })],
  ['events.list', 700001, () => ({ pid, start: 1_700_000_000_000, end: 1_600_000_000_000 })],
  ['events.list', 700001, () => ({ pid, start: 1_700_000_000, end: 1_800_000_000 })],
  ['events.list', 700001, () => ({ pid, start: '2026-01-01', end: '2026-02-01' })],
  ['events.list', 700002, () => ({ pid: MISSING, start: 1_600_000_000_000, end: 1_700_000_000_000 })],
]

test.each(natural)('%s answers %i to a request that causes it (case %#)', async (id, code, params) => {
  const status = rows.find((row) => row.id === id && row.code === code)?.status ?? 0
  expectError(await operate(sandbox, id, params()), id, code, status)
})

test('a path without its project id answers 400002', async () => {
  expectError(await call(sandbox, 'GET', '/v1/projects/'), 'projects.get', 400002, 400)
})

test('a project without rights is listed and answers 400003', async () => {
  const barred = sandbox.store.projects.find((project) =>
    project.members.some(({ user, permission }) => user.uid === sandbox.store.caller.uid && permission === 0),
  )
  const reply = await operate(sandbox, 'projects.get', { pid: barred?.reference.pid ?? '' })
  expectError(reply, 'projects.get', 400003, 500)
})

test('requests cause every error code except two', () => {
  const reached = new Set([
    ...natural.map(([id, code]) => `${id} ${code}`),
    'projects.get 400002',
    'projects.get 400003',
  ])
  const own = OPERATIONS.flatMap(({ id, errors }) => errors.map(({ code }) => `${id} ${code}`))
  expect(own.filter((row) => !reached.has(row))).toEqual(['tasks.today.list 600001', 'projects.list 400001'])
})

test('an unknown path answers 404 with a JSON body', async () => {
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['POST', '/v1/projects'],
    ['GET', '/v2/projects'],
    ['DELETE', '/v1/tasks'],
  ] as const) {
    const { status, json } = await call(sandbox, method, path)
    expect([status, json]).toEqual([404, { error_code: 404, error_message: expect.any(String), request: path }])
  }
  const { status, json } = await call(sandbox, 'GET', '/v1/projects/%ZZ')
  expect([status, json]).toEqual([400, expect.objectContaining({ request: '/v1/projects/%ZZ' })])
})

test('deleting an unknown webhook answers false', async () => {
  const { status, json } = await operate(sandbox, 'webhooks.delete', { pid, wid: MISSING })
  expect([status, json]).toEqual([200, { success: 'false' }])
})
