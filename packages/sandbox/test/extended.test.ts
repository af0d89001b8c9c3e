import { OBSERVED_OPERATIONS, OBSERVED_READINGS, OPERATIONS } from '@collab-etl/contract'
import Type from 'typebox'
import { beforeEach, describe, expect, test } from 'vitest'
import type { EntryRecord, ProjectTruth, Sandbox } from '../src/index.ts'
import { EXTENSIONS, SERVED_OPERATIONS } from '../src/operations/served.ts'
import { call, differences, operate, sandboxForTest } from './support.ts'

let sandbox: Sandbox
let pid: string
let truth: ProjectTruth

beforeEach(async () => {
  sandbox = await sandboxForTest({ extended: true })
  pid = sandbox.pids[0] ?? ''
  truth = sandbox.store.truth(pid)
})

/** Parameters with which every observed operation succeeds. */
function params(): Record<string, string | number> {
  const { tasks, archived_tasks, entries, members, posts, pages, events } = truth
  const task = tasks.find(({ todos }) => todos.length > 0)
  const all = {
    ...{ pid, tid: task?.tid, todo_id: task?.todos[0]?.todo_id, entry_id: entries[0]?.entry_id },
    ...{ uid: members[1]?.uid, post_id: posts[0]?.post.post_id, page_id: pages[0]?.page_id },
    ...{ event_id: events[0]?.event_id, team_id: truth.detail.team_id, archived: archived_tasks[0]?.tid },
    ...{ name: 'Neu 新', message: 'm', label: 'red', expire: 1_800_000_000_000, location: 'Ort' },
    ...{ start_date: '2026-07-01', start_time: '08:30', end_date: '2026-07-01', end_time: '09:30:00' },
  }
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? '']))
}

const json = async (id: Parameters<typeof operate>[1], more: Record<string, string | number> = {}) =>
  (await operate(sandbox, id, { ...params(), ...more })).json

describe('what is offered', () => {
  test('by default, no operation beyond the documented ones', async () => {
    const plain = await sandboxForTest()
    for (const { id, path, method } of SERVED_OPERATIONS.slice(OPERATIONS.length)) {
      const { status, json } = await operate(plain, id, params())
      expect([id, status, json]).toEqual([
        id,
        404,
        { error_code: 404, error_message: '接口不存在', request: expect.stringMatching(/^\/v1\//) },
      ])
      expect(plain.requests.at(-1), `${method} ${path}`).toMatchObject({ operation: null, status: 404 })
    }
    // an empty id, as before
    expect((await call(plain, 'GET', `/v1/posts/?pid=${pid}`)).json).toMatchObject({ error_code: 900004 })
  })

  test.each(EXTENSIONS.map((name) => [name]))('%s offers exactly the operations of that name', async (name) => {
    sandbox.setExtended([name])
    for (const operation of OBSERVED_OPERATIONS) {
      const { status } = await operate(sandbox, operation.id, params())
      expect([operation.id, status === 200]).toEqual([operation.id, operation.offer === name])
    }
  })

  test('the documented operations answer the same, byte for byte', async () => {
    const plain = await sandboxForTest()
    const range = { start: 1_000_000_000_000, end: 1_999_999_999_999, page: 1, size: 1000 }
    for (const { id, method } of OPERATIONS) {
      if (method !== 'GET') continue
      const asked = { ...params(), ...range, fid: truth.files[0]?.file.fid ?? '' }
      expect((await operate(sandbox, id, asked)).text, id).toBe((await operate(plain, id, asked)).text)
    }
  })

  test('openapi.json describes what is offered', async () => {
    const described = async () => {
      const { paths, components } = Object((await call(sandbox, 'GET', '/openapi.json')).json)
      const methods = Object.values<Record<string, { operationId: string }>>(paths).flatMap(Object.values)
      return { ids: methods.map(({ operationId }) => operationId).sort(), schemas: Object.keys(components.schemas) }
    }
    expect((await described()).ids).toEqual(SERVED_OPERATIONS.map(({ id }) => id).sort())
    sandbox.setExtended(['profile'])
    const { ids, schemas } = await described()
    expect(ids).toEqual([...OPERATIONS.map(({ id }) => id), 'profile.get'].sort())
    expect(schemas).toContain('Profile')
    expect(schemas).not.toContain('Member')
  })
})

test.each(OBSERVED_OPERATIONS.map((operation) => [operation.id, operation] as const))(
  '%s answers with the fields of the contract, and those that clients have seen besides',
  async (id, { success }) => {
    const { status, json } = await operate(sandbox, id, params())
    const schema = success.kind === 'array' ? Type.Array(success.item) : success.schema
    expect(status).toBe(200)
    const seen = id === 'tasks.get' ? ['archived', 'files', 'fids'].map((name) => `/${name} is not in Task`) : []
    expect(differences(schema, json)).toEqual(seen)
    if (success.kind === 'array') expect(json).not.toEqual([])
  },
)

test('every list is the whole truth of its project', async () => {
  expect(await json('entries.list')).toEqual(truth.entries)
  expect(await json('projects.members.list')).toEqual(truth.members)
  expect(await json('posts.list')).toEqual(truth.posts.map(({ post }) => post))
  expect(truth.unlinked_posts).not.toEqual([])
  expect(await json('pages.get')).toEqual(truth.pages[0])
  expect(await json('events.get')).toEqual(truth.events[0])
  expect(await json('profile.get')).toEqual({ ...sandbox.store.caller, email: expect.stringContaining('@') })
})

test('the files of a project are found folder by folder, also those that no record names', async () => {
  const walked: unknown[] = []
  const folders: (string | undefined)[] = [undefined]
  let empty = 0
  for (const folder_id of folders) {
    const listed = (await json('files.list', folder_id === undefined ? {} : { folder_id })) as Listed[]
    for (const { folder_name, ...file } of listed) {
      walked.push(file)
      expect(folder_name).toBe(truth.files.find((other) => other.file.fid === file.folder_id)?.file.name)
      if (file.type === 1) folders.push(file.fid)
    }
    if (listed.length === 0) empty++
  }
  expect(new Set(walked)).toEqual(new Set(truth.files.map(({ file }) => file)))
  expect(empty).toBeGreaterThan(0)
  const { files, unlinked_files } = truth
  const nested = files.filter(({ file }) => file.type === 0 && unlinked_files.includes(file.folder_id))
  expect(nested).not.toEqual([])
  expect(await json('files.list', { folder_id: '' })).toEqual(await json('files.list'))
})

interface Listed {
  fid: string
  folder_id: string
  folder_name?: string
  type: number
}

test('a group without tasks is listed', () => {
  const used = new Set([...truth.tasks, ...truth.archived_tasks].map(({ entry_id }) => entry_id))
  expect(truth.entries.filter(({ entry_id }: EntryRecord) => !used.has(entry_id))).not.toEqual([])
})

test('a task has as many comments as its counter says, after one note by the service', async () => {
  let files = 0
  for (const task of [...truth.tasks, ...truth.archived_tasks]) {
    const comments = truth.task_comments[task.tid] ?? []
    expect(comments).toHaveLength(1 + task.badges.comment_count)
    expect(comments[0]).toMatchObject({ message: '创建了任务', created_at: task.created_at })
    expect(comments.map(({ created_at }) => created_at)).toEqual(comments.map((one) => one.created_at).sort())
    files += comments.flatMap(({ fids }) => fids).length
    const linked = truth.files.map(({ file }) => file.fid).filter((fid) => !truth.unlinked_files.includes(fid))
    expect(linked).toEqual(expect.arrayContaining(comments.flatMap(({ fids }) => fids)))
  }
  expect(files).toBeGreaterThan(0)
  const { tid } = truth.tasks.find(({ badges }) => badges.comment_count > 0) ?? { tid: '' }
  expect(await json('tasks.comments.list', { tid })).toEqual(truth.task_comments[tid])
  const cids = Object.values(truth.task_comments).flatMap((comments) => comments.map(({ cid }) => cid))
  expect(new Set(cids).size).toBe(cids.length)
})

test('one task tells whether it is archived, and its files', async () => {
  const task = truth.tasks.find(({ badges }) => badges.file_count > 0)
  const files = Array.from({ length: task?.badges.file_count ?? 0 }, () => expect.objectContaining({ pid }))
  const { fids, ...one } = Object(await json('tasks.get', { tid: task?.tid ?? '' }))
  expect(one).toEqual({ ...task, archived: 0, files })
  expect(fids).toEqual(one.files.map(({ fid }: { fid: string }) => fid))
  const [archived] = truth.archived_tasks
  expect(await json('tasks.get', { tid: archived?.tid ?? '' })).toMatchObject({ ...archived, archived: 1 })
})

test('teams list their members and all their projects, also those of others only', async () => {
  sandbox.store.change(sandbox.pids[1] ?? '', (project) => {
    project.team_id = '-1'
  })
  const teams = Object(await json('teams.list'))
  expect(teams.map(({ team_id }: { team_id: string }) => team_id)).toEqual(
    sandbox.store.teams.map(({ team_id }) => team_id),
  )
  expect((await operate(sandbox, 'teams.get', { team_id: '-1' })).status).toBe(404)
  const members = Object(await json('teams.members.list'))
  expect(members.map(({ uid }: { uid: string }) => uid)).toContain(sandbox.store.caller.uid)
  const projects: { pid: string }[] = Object(await json('teams.projects.list'))
  const listed = Object(await json('projects.list')).map((project: { pid: string }) => project.pid)
  const others = projects.filter((project) => !listed.includes(project.pid))
  expect(others).not.toEqual([])
  for (const other of others) {
    expect(await json('projects.get', { pid: other.pid })).toMatchObject({ error_code: 400004 })
  }
})

test('what is missing, or of a project that cannot be read, is an error for every reading', async () => {
  const ids = ['tid', 'page_id', 'event_id', 'team_id'] as const
  for (const { id, path } of OBSERVED_READINGS) {
    const named = ids.filter((name) => path.includes(`:${name}`))
    const missing = Object.fromEntries(named.map((name) => [name, 'missing']))
    if (named.length > 0)
      expect([id, (await operate(sandbox, id, { ...params(), ...missing })).status]).toEqual([id, 404])
    if (!/^(teams|profile)/.test(id)) {
      const { status } = await operate(sandbox, id, { ...params(), pid: 'missing' })
      expect([id, status]).toEqual([id, 400])
    }
  }
})
