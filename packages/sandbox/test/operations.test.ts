import { OPERATIONS, type OperationId } from '@collab-etl/contract'
import Type, { type TSchema } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProjectState, type Sandbox, startSandbox } from '../src/index.ts'
import { differences, operate, SMALL } from './support.ts'

let sandbox: Sandbox
let project: ProjectState

beforeAll(async () => {
  sandbox = await startSandbox(SMALL)
  // A copy, because tests delete records.
  project = structuredClone(sandbox.store.project(sandbox.pids[0] ?? '')) as ProjectState
})
afterAll(() => sandbox.close())

/** Parameters with which each operation succeeds. */
function paramsOf(id: OperationId): Record<string, string | number> {
  const { pid } = project.reference
  const task = project.tasks.find(({ members, labels }) => members.length > 0 && labels.length > 0)
  const post = project.posts.find(({ comments }) => comments.length > 0)
  const event = project.events.find(({ comments }) => comments.length > 0)
  const file = project.files.find(({ comments }) => comments.length > 0)
  const all: Record<string, string | number | undefined> = {
    pid,
    page: 1,
    size: 20,
    start: Date.parse('2001-09-09T01:46:40.000Z'),
    end: Date.parse('2030-01-01'),
    tid: task?.tid,
    member_id: task?.members[0]?.uid,
    label: task?.labels[0]?.name,
    post_id: post?.post.post_id,
    event_id: event?.event.event_id,
    cid: id.startsWith('events.') ? event?.comments[0]?.cid : post?.comments[0]?.cid,
    fid: file?.file.fid,
    wid: project.webhooks[0]?.wid,
    entry_id: project.entries[0]?.entry_id,
    name: 'Neu 新 🆕',
    message: 'Hallo',
    content: '# Titel',
  }
  const operation = OPERATIONS.find((candidate) => candidate.id === id)
  const names = Object.keys(operation?.params ?? {}).filter((name) => all[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, all[name] ?? '']))
}

const arrays = OPERATIONS.filter(({ success }) => success.kind === 'array')

test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
  '%s answers with exactly the fields of the contract',
  async (id, { success, method }) => {
    const { status, headers, json } = await operate(sandbox, id, paramsOf(id))
    const schema: TSchema = success.kind === 'array' ? Type.Array(success.item) : success.schema
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(differences(schema, json)).toEqual([])
    if (method === 'GET' && success.kind === 'array') expect(json).not.toEqual([])
  },
)

test('an empty list is an empty array for every operation', async () => {
  const empty = await startSandbox({ projects: 3, tasks: 0, archived: 0, pages: 0, posts: 0, events: 0 })
  try {
    const pid = empty.pids[2] ?? ''
    const lists = arrays.filter(({ id }) => !/comments|projects|webhooks/.test(id))
    for (const { id } of lists) {
      const { text } = await operate(empty, id, { ...paramsOf(id), ...(id !== 'tasks.today.list' && { pid }) })
      expect(text, id).toBe('[]')
    }
  } finally {
    await empty.close()
  }
})

test('success is the text "true" for operations 16, 18, 19 and 21, and a boolean for 17 and 20', async () => {
  const fresh = await startSandbox(SMALL)
  try {
    const seen: Record<number, unknown> = {}
    for (const { id, number, method } of OPERATIONS) {
      if (method === 'DELETE') seen[number] = (await operate(fresh, id, paramsOf(id))).json
    }
    expect(seen).toEqual({
      16: { success: 'true' },
      17: { success: true },
      18: { success: 'true' },
      19: { success: 'true' },
      20: { success: true },
      21: { success: 'true' },
    })
  } finally {
    await fresh.close()
  }
})
