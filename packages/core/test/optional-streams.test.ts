import { isOptional, type ScopeResult, type StreamName } from '@collab-etl/contract/streams'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Client,
  listProjects,
  type Offered,
  type ReadProjectOptions,
  readProject,
  readTeams,
  tryOperations,
} from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'
import { clientOf } from './helpers/server.ts'

const NO_TRIES = { offered: {} }

async function readAll(client: Client, pid: string, options: ReadProjectOptions = {}) {
  const { projects } = await listProjects(client)
  await tryOperations(client, projects)
  const project = projects.find((candidate) => candidate.pid === pid) ?? { pid, listed: null }
  const sink = new RecordingSink()
  const results = await readProject(client, project, options, sink)
  return { sink, results, of: (stream: StreamName) => results.find(({ scope }) => scope.stream === stream) }
}

const statuses = (results: readonly ScopeResult[]) => new Set(results.map(({ status }) => status))

describe('a service that offers all', () => {
  test('is read whole: members, task groups, comments of tasks, posts and files without links', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true }, NO_TRIES)
    const { sink, results } = await readAll(client, pid)
    const truth = sandbox.store.truth(pid)
    const ids = (records: readonly string[]) => records.toSorted()

    expect(statuses(results)).toEqual(new Set(['complete']))
    expect(ids(sink.records('member').map(({ uid }) => uid))).toEqual(ids(truth.members.map(({ uid }) => uid)))
    expect(sink.records('entry').map(({ entry_id }) => entry_id)).toEqual(truth.entries.map(({ entry_id }) => entry_id))
    expect(ids(sink.records('post').map(({ post_id }) => post_id))).toEqual(
      ids(truth.posts.map(({ post }) => post.post_id)),
    )
    expect(ids(sink.records('file').map(({ fid }) => fid))).toEqual(ids(truth.files.map(({ file }) => file.fid)))
    const counted = [...sink.records('task'), ...sink.records('archived_task')].filter(
      ({ badges }) => (badges?.comment_count ?? 0) > 0,
    )
    expect(counted.length).toBeGreaterThan(0)
    const expected = counted.flatMap(({ tid }) => (truth.task_comments[tid] ?? []).map(({ cid }) => `${tid} ${cid}`))
    expect(ids(sink.records('task_comment').map(({ tid, comment }) => `${tid} ${comment.cid}`))).toEqual(ids(expected))
    expect(results.find(({ scope }) => scope.stream === 'posts')?.discovered?.isListed).toBe(true)
    expect(sink.losses).toEqual([])
  })

  test('an operation is tried once, and lists of a project once more', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true }, NO_TRIES)
    await readAll(client, pid)
    for (const id of ['projects.members.list', 'entries.list', 'posts.list']) {
      expect(requestsFor(sandbox, id)).toHaveLength(2)
    }
    expect(requestsFor(sandbox, 'profile.get')).toHaveLength(1)
  })

  test('posts of its list are read where links are not followed', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: ['posts'] }, NO_TRIES)
    const { sink } = await readAll(client, pid, { followDiscovered: false })
    const posts = sandbox.store.truth(pid).posts.map(({ post }) => post.post_id)
    expect(posts.length).toBeGreaterThan(0)
    expect(
      sink
        .records('post')
        .map(({ post_id }) => post_id)
        .toSorted(),
    ).toEqual(posts.toSorted())
    expect(sink.records('file')).toEqual([])
  })

  test('a list that it does not have for one project is no failure there', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true }, NO_TRIES)
    await tryOperations(client, (await listProjects(client)).projects)
    for (const operation of ['entries.list', 'projects.members.list'] as const) {
      sandbox.faults.add({ kind: 'http', status: 404, operation, times: 'always' })
    }
    const since = new Date('2026-01-01T00:00:00Z')
    const { of } = await readAll(client, pid, { lastReadings: new Map([['entries', since]]) })
    expect(of('entries')).toMatchObject({ status: 'carried', carried: { since }, error: { code: 'NOT_OFFERED' } })
    expect(of('members')).toBeUndefined()
    expect(of('tasks')).toMatchObject({ status: 'complete' })
  })

  test('teams come with members, and with the projects that the list of projects lacks', async () => {
    const { sandbox, client } = await sandboxed({ extended: true }, NO_TRIES)
    const { projects } = await listProjects(client)
    const sink = new RecordingSink()
    const listed = new Set(projects.map(({ pid }) => pid))
    const result = await readTeams(client, sink, { listed })
    expect(result).toMatchObject({ status: 'complete', scope: { pid: null, stream: 'teams' } })
    expect(sink.records('team').length).toBeGreaterThan(0)
    expect(sink.records('team_member').length).toBeGreaterThan(0)
    expect(sink.records('team_project').length).toBeGreaterThan(0)
    expect(sink.records('team_project').filter(({ project }) => listed.has(project.pid))).toEqual([])
    expect(requestsFor(sandbox, 'teams.list')).toHaveLength(1)
  })

  test('a list of the projects of a team that may be cut proves nothing', async () => {
    const { client } = await sandboxed(
      { extended: true, projects: 38, tasks: 0, archived: 0, pages: 0, posts: 0 },
      NO_TRIES,
    )
    const { projects } = await listProjects(client)
    const teams = new RecordingSink()
    const listed = new Set(projects.map(({ pid }) => pid))
    expect(await readTeams(client, teams, { listed })).toMatchObject({ status: 'complete', lacksProjects: 'some' })
  })
})

describe('a service that offers nothing more than its page', () => {
  test('has no scope of optional streams, and each operation is tried once', async () => {
    const { sandbox, client, pid } = await sandboxed({}, NO_TRIES)
    const { results } = await readAll(client, pid)
    expect(results.filter(({ scope }) => isOptional(scope.stream))).toEqual([])
    expect(statuses(results)).toEqual(new Set(['complete']))
    expect(Object.values(client.capabilities.found)).toEqual(Array(9).fill(false))
    expect(sandbox.requests.filter(({ path }) => path.includes('/v1/entries'))).toHaveLength(1)
    expect(await readTeams(client, new RecordingSink(), { listed: new Set() })).toBeNull()
  })

  test('what an earlier run read is carried', async () => {
    const { client, pid } = await sandboxed({}, { offered: { 'entries.list': true } })
    const since = new Date('2026-01-01T00:00:00Z')
    const lastReadings = new Map([['entries', since] as const, ['task_comments', since] as const])
    const { of } = await readAll(client, pid, { lastReadings })
    for (const stream of ['entries', 'task_comments'] as const) {
      expect(of(stream)).toMatchObject({ status: 'carried', carried: { since }, error: { code: 'NOT_OFFERED' } })
    }
    expect(of('members')).toBeUndefined()
  })

  test('nothing is tried if optional operations are off', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true })
    await readAll(client, pid)
    expect(sandbox.requests.filter(({ operation }) => operation === 'entries.list')).toEqual([])
  })
})

test.each([
  [404, '{"error_code":400004,"error_message":"","request":"/"}', false],
  [400, '{"error_code":100005,"error_message":"","request":"/"}', false],
  [405, 'no', false],
  [200, '<html>', false],
  [200, '{"a":1}', false],
  [200, '["a"]', false],
  [200, 'null', false],
  [302, '', false],
  [200, '[]', true],
  [401, '{"error_code":100005,"error_message":"","request":"/"}', 'silent'],
  [400, '{"error_code":100006,"error_message":"","request":"/"}', 'silent'],
  [403, '{"error_code":1,"error_message":"","request":"/"}', 'silent'],
  [500, '{"error_code":1,"error_message":"","request":"/"}', 'silent'],
  [502, '<html>', 'silent'],
  [429, '', 'silent'],
])('an answer %s %s of an optional operation says: offered %s', async (status, body, verdict) => {
  for (const before of [true, false]) {
    const sandbox = await answering(status, body)
    const offered: Offered = { 'entries.list': before }
    const client = clientOf(sandbox.baseUrl, { token: sandbox.token, offered, retries: 0 })
    const { projects } = await listProjects(client)
    await tryOperations(client, projects)
    expect(client.capabilities.offers('entries.list')).toBe(verdict === 'silent' ? before : verdict)
    expect(client.capabilities.found['entries.list']).toBe(verdict === 'silent' ? undefined : verdict)
    // it says nothing about the token: other requests continue
    await expect(client.projects.list()).resolves.toHaveLength(projects.length)
  }
})

/** A service whose list of task groups has this answer. */
async function answering(status: number, body: string): Promise<Sandbox> {
  const sandbox = await startSandbox({ extended: ['entries'], projects: 1 })
  onTestFinished(() => sandbox.close())
  sandbox.follow([
    {
      on: 'entries.list',
      does: ({ response }) => {
        response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/login' } : {}).end(body)
      },
    },
  ])
  return sandbox
}
