import { COMMON_ERRORS, OPERATIONS, type OperationId } from '@collab-etl/contract'
import { type Client, createClient, isApiError } from '@collab-etl/core'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixtures, findFixtures } from './fixtures.ts'

let sandbox: Sandbox
let client: Client
let ids: Fixtures

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, projects: 4, tasks: 60, archived: 40, pages: 12, posts: 8, events: 24 })
  client = createClient({ baseUrl: sandbox.baseUrl, token: sandbox.token, retries: 0 })
  ids = findFixtures(sandbox)
})

afterAll(async () => {
  await client.close()
  await sandbox.close()
})

/** A call of each operation that succeeds. */
const CALLS: Record<OperationId, (client: Client, ids: Fixtures) => Promise<unknown>> = {
  'tasks.list': (c, { pid }) => c.tasks.list({ pid }),
  'tasks.archived.list': (c, { pid }) => c.tasks.archived.list({ pid, page: 1, size: 10 }),
  'tasks.today.list': (c) => c.tasks.today.list(),
  'tasks.create': (c, { pid, entry_id }) => c.tasks.create({ pid, name: 'x', entry_id }),
  'tasks.comments.create': (c, { pid, tid }) => c.tasks.comments.create({ pid, tid, message: 'x' }),
  'tasks.members.delete': (c, { pid, assigned }) => c.tasks.members.delete({ pid, ...assigned }),
  'tasks.labels.delete': (c, { pid, labelled }) => c.tasks.labels.delete({ pid, ...labelled }),
  'entries.delete': (c, { pid, entry_id }) => c.entries.delete({ pid, entry_id }),
  'posts.comments.list': (c, { pid, post_id }) => c.posts.comments.list({ pid, post_id }),
  'posts.get': (c, { pid, post_id }) => c.posts.get({ pid, post_id }),
  'posts.create': (c, { pid }) => c.posts.create({ pid, name: 'x' }),
  'posts.comments.delete': (c, { pid, post_id, cid }) => c.posts.comments.delete({ pid, post_id, cid }),
  'files.comments.list': (c, { pid, fid }) => c.files.comments.list({ pid, fid }),
  'files.get': (c, { pid, fid }) => c.files.get({ pid, fid }),
  'pages.list': (c, { pid }) => c.pages.list({ pid }),
  'pages.create': (c, { pid }) => c.pages.create({ pid, name: 'x' }),
  'projects.list': (c) => c.projects.list(),
  'projects.get': (c, { pid }) => c.projects.get({ pid }),
  'events.today.list': (c, { pid }) => c.events.today.list({ pid }),
  'events.list': (c, { pid }) => c.events.list({ pid, start: 1_600_000_000_000, end: 1_700_000_000_000 }),
  'events.comments.delete': (c, { pid, eventComment }) => c.events.comments.delete({ pid, ...eventComment }),
  'webhooks.list': (c, { pid }) => c.webhooks.list({ pid }),
  'webhooks.delete': (c, { pid, wid }) => c.webhooks.delete({ pid, wid }),
}

const ROWS = OPERATIONS.flatMap((operation) => operation.errors.map((row) => ({ id: operation.id, operation, row })))

describe('every documented error reaches the caller', () => {
  test.each(ROWS)('$id $row.code', async ({ id, operation, row }) => {
    sandbox.faults.add({ kind: 'error', operation: id, errorCode: row.code, times: 1 })
    const error: unknown = await CALLS[id](client, ids).catch((thrown: unknown) => thrown)
    if (!isApiError(error)) throw error
    expect(error).toMatchObject({ operation: id, code: row.code, status: row.status, meaning: row.meaning })
    expect(error.serviceMessage).toMatch(/\p{Script=Han}/u)
    expect(error.message).toContain(operation.id)
  })
})

describe('both authorisation errors end the operation and the client', () => {
  test.each(OPERATIONS.flatMap(({ id }) => COMMON_ERRORS.map(({ code }) => ({ id, code }))))(
    '$id $code',
    async ({ id, code }) => {
      const other = createClient({ baseUrl: sandbox.baseUrl, token: sandbox.token })
      try {
        sandbox.faults.add({ kind: 'error', operation: id, errorCode: code, times: 1 })
        await expect(CALLS[id](other, ids)).rejects.toMatchObject({ code })
        await expect(other.projects.list()).rejects.toMatchObject({ code })
      } finally {
        await other.close()
      }
    },
  )

  test('a wrong token is answered with 100006', async () => {
    const other = createClient({ baseUrl: sandbox.baseUrl, token: 'not-the-token' })
    await expect(other.projects.list()).rejects.toMatchObject({ code: 100006, status: 400 })
    await other.close()
  })
})
