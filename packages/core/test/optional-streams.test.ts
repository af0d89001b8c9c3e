import { type CommentedTask, isOptional, type ScopeResult, type StreamName } from '@collab-etl/contract/streams'
import { type Behaviour, type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { status, value } from '@collab-etl/sandbox/behaviours'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Client,
  listProjects,
  type Offered,
  type ReadProjectOptions,
  readProject,
  readTeams,
  tryAllOperations,
  tryOperations,
} from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'
import { clientOf } from './helpers/server.ts'

const NO_TRIES = { offered: {} }

/** "does not exist" (docs/dev/service-api.md#errors). */
const NO_TASK = 600005
const NO_POST = 900005
const NO_FILE = 800004
const FOLDER = 1

async function readAll(client: Client, pid: string, options: ReadProjectOptions = {}) {
  const { projects } = await listProjects(client)
  await tryOperations(client, projects)
  const project = projects.find((candidate) => candidate.pid === pid) ?? { pid, listed: null }
  const sink = new RecordingSink()
  const results = await readProject(client, project, options, sink)
  return { sink, results, of: (stream: StreamName) => results.find(({ scope }) => scope.stream === stream) }
}

const statuses = (results: readonly ScopeResult[]) => new Set(results.map((result) => result.status))

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

  test('a waiting project repeats a trial that another aborted', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true }, NO_TRIES)
    const tid = sandbox.store.truth(pid).tasks[0]?.tid ?? ''
    const tryOut = (signal?: AbortSignal) =>
      client.capabilities.tryOut('tasks.get', (how) => client.tasks.get({ pid, tid }, { ...how, signal }))
    const stop = new AbortController()
    const [aborted, ...waiting] = [tryOut(stop.signal), tryOut(), tryOut()]
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ kind: 'aborted' })
    expect(await Promise.all([...waiting, tryOut()])).toEqual([true, true, true])
    expect(requestsFor(sandbox, 'tasks.get')).toHaveLength(1)
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

  test.each([
    ['is null', value(() => null)],
    ['is refused', status(403, '{"error_code":100001,"error_message":"","request":"/"}')],
    ['does not exist', status(404, '{"error_code":400004,"error_message":"","request":"/"}')],
  ])('nor does one that %s, and nothing else of its team fails', async (_edge, does) => {
    const { sandbox, client } = await sandboxed({ extended: true }, { offered: { 'teams.projects.list': true } })
    const { projects } = await listProjects(client)
    const [first] = sandbox.store.teams
    await client.capabilities.tryOut('teams.projects.list', async () => {})
    sandbox.follow([{ on: 'teams.projects.list', does }])
    const teams = new RecordingSink()
    const listed = new Set(projects.map(({ pid }) => pid))
    expect(await readTeams(client, teams, { listed })).toMatchObject({ status: 'complete', lacksProjects: 'some' })
    expect(teams.records('team').map(({ team_id }) => team_id)).toContain(first?.team_id)
  })

  test('the entry that means no team is never asked for', async () => {
    const { sandbox, client } = await sandboxed({ extended: true }, NO_TRIES)
    const none = (teams: readonly object[]) => [{ ...teams[0], team_id: '-1' }, ...teams]
    sandbox.follow([{ on: 'teams.list', does: value(none) }])
    await tryAllOperations(client, (await listProjects(client)).projects)
    await readTeams(client, new RecordingSink(), { listed: new Set() })
    expect(client.capabilities.found).toMatchObject({ 'teams.get': true, 'teams.members.list': true })
    expect(sandbox.requests.filter(({ path }) => path.includes('/-1'))).toEqual([])
  })

  test('a team keeps its own record where the service answers with another one', async () => {
    const { sandbox, client } = await sandboxed({ extended: true }, NO_TRIES)
    sandbox.follow([{ on: 'teams.get', does: value((team: object) => ({ ...team, team_id: 'another' })) }])
    const teams = new RecordingSink()
    expect(await readTeams(client, teams, { listed: new Set() })).toMatchObject({ status: 'complete' })
    expect(teams.records('team').map(({ team_id }) => team_id)).toEqual(
      sandbox.store.teams.map(({ team_id }) => team_id).filter((id) => id !== '-1'),
    )
  })
})

describe('the comments of a listed task', () => {
  const DUE = { dueTaskComments: async (tasks: readonly CommentedTask[]) => tasks.map(({ tid }) => tid) }

  test('that the service says do not exist are missed, and its answer is checked once', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true, archived: 0 }, NO_TRIES)
    const tasks = sandbox.store.truth(pid).tasks.map(({ tid }) => tid)
    const [, bad = '', stray = ''] = tasks
    const absent = { kind: 'error', errorCode: NO_TASK, status: 404, operation: 'tasks.comments.list' } as const
    sandbox.faults.add({ ...absent, where: { tid: bad }, times: 'always' })
    sandbox.faults.add({ ...absent, where: { tid: stray } })

    const { sink, of } = await readAll(client, pid, DUE)
    expect(of('task_comments')).toMatchObject({
      status: 'partial',
      unread: [{ id: bad, error: { code: 'COMMENTS_MISSING' }, isFromText: false }],
    })
    const read = sink.records('task_comments_read').map(({ tid }) => tid)
    expect(read.toSorted()).toEqual(tasks.filter((tid) => tid !== bad).toSorted())
  })

  test('are missed where the task counts more of them than its list holds, twice', async () => {
    const { sandbox, client, pid } = await sandboxed(
      { extended: true, archived: 0, quirks: ['comments-cap=2'] },
      NO_TRIES,
    )
    const { sink, of } = await readAll(client, pid, DUE)
    const counts = sandbox.store.truth(pid).tasks.map(({ tid, badges }) => [tid, badges.comment_count] as const)
    const short = counts.filter(([, count]) => count > 2).map(([tid]) => tid)
    expect(short.length).toBeGreaterThan(0)
    expect(of('task_comments')?.status).toBe('partial')
    expect(
      of('task_comments')
        ?.unread?.map(({ id, error }) => `${id} ${error.code}`)
        .toSorted(),
    ).toEqual(short.map((tid) => `${tid} POSSIBLY_CAPPED`).toSorted())
    const read = sink.records('task_comments_read').map(({ tid }) => tid)
    expect(read.filter((tid) => short.includes(tid))).toEqual([])
    for (const tid of short) {
      expect(sink.records('task_comment').filter((each) => each.tid === tid)).toHaveLength(2)
      expect(requestsFor(sandbox, 'tasks.comments.list').filter((path) => path.includes(tid)).length).toBeGreaterThan(1)
    }
  })

  test('are read where the service does not say how many the task has', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true, archived: 0 }, NO_TRIES)
    const [, uncounted = '', untold = ''] = sandbox.store.truth(pid).tasks.map(({ tid }) => tid)
    sandbox.store.change(pid, ({ tasks }) => {
      for (const { tid, badges } of tasks) {
        if (tid === uncounted) Object.assign(badges, { comment_count: null })
        if (tid === untold) Object.assign(badges, { comment_count: undefined })
      }
    })
    const { sink, of } = await readAll(client, pid)
    expect(of('task_comments')).toMatchObject({ status: 'complete' })
    for (const tid of [uncounted, untold]) {
      expect(sink.records('task_comment').filter((each) => each.tid === tid).length).toBeGreaterThan(0)
      const read = sink.records('task_comments_read').filter((each) => each.tid === tid)
      expect(read).toMatchObject([{ comment_count: null }])
    }
  })

  test('are whole where one answer was short, or the service states their number', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true, archived: 0 }, NO_TRIES)
    const { tasks } = sandbox.store.truth(pid)
    const [one = '', other = ''] = tasks.slice(1).flatMap(({ tid, badges }) => (badges.comment_count > 0 ? [tid] : []))
    const empty: Behaviour = ({ response }) => void response.writeHead(200).end('[]')
    const stated: Behaviour = ({ response }) => void response.writeHead(200, { 'x-total-count': '0' }).end('[]')
    const on = 'tasks.comments.list'
    sandbox.follow([
      { on, where: ({ tid }) => tid === one, first: 1, does: empty },
      { on, where: ({ tid }) => tid === other, does: stated },
    ])
    const { sink, of } = await readAll(client, pid, DUE)
    expect(of('task_comments')).toMatchObject({ status: 'complete' })
    expect(sink.records('task_comment').filter(({ tid }) => tid === one).length).toBeGreaterThan(0)
    expect(sink.records('task_comments_read')).toHaveLength(tasks.length)
  })
})

describe('posts and files that the service lists', () => {
  test('are missed, not deleted, where it says twice that they do not exist', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true }, NO_TRIES)
    const { posts, files } = sandbox.store.truth(pid)
    const [stored = '', stray = ''] = posts.map(({ post }) => post.post_id)
    const fid = files.find(({ file }) => file.type !== FOLDER)?.file.fid ?? ''
    const absent = { kind: 'error', status: 404 } as const
    const noPost = { ...absent, errorCode: NO_POST, operation: 'posts.get' } as const
    sandbox.faults.add({ ...noPost, where: { post_id: stored }, times: 'always' })
    sandbox.faults.add({ ...noPost, where: { post_id: stray } })
    sandbox.faults.add({ ...absent, errorCode: NO_FILE, operation: 'files.get', where: { fid }, times: 'always' })

    const knownPosts = [{ id: stored, source: 'list', isStored: true }]
    const { sink, of } = await readAll(client, pid, { knownPosts })
    expect(sink.records('not_found_post')).not.toContainEqual({ post_id: stored })
    expect(sink.records('not_found_file')).not.toContainEqual({ fid })
    const because = (code: number, message: string) => ({
      code: String(code),
      message: expect.stringContaining(message),
    })
    expect(of('posts')).toMatchObject({
      status: 'partial',
      unread: [{ id: stored, error: because(NO_POST, 'although the list of posts contains it'), isFromText: false }],
    })
    expect(of('files')).toMatchObject({
      status: 'partial',
      unread: [{ id: fid, error: because(NO_FILE, 'although the list of files contains it'), isFromText: false }],
    })
    expect(sink.records('post')).toHaveLength(posts.length - 1)
  })

  test('are all of them only where the list holds each that was read', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true }, NO_TRIES)
    const empty: Behaviour = ({ response }) => void response.writeHead(200).end('[]')
    sandbox.follow([{ on: 'posts.list', does: empty }])
    const { sink, of } = await readAll(client, pid)
    expect(sink.records('post').length).toBeGreaterThan(0)
    expect(of('posts')).toMatchObject({ status: 'complete', discovered: { isListed: false } })
    expect(of('files')).toMatchObject({ status: 'complete', discovered: { isListed: true } })
  })

  test('are not known to be all where the service ignores which folder is asked for', async () => {
    const { sandbox, client, pid } = await sandboxed({ extended: true }, NO_TRIES)
    const { files } = sandbox.store.truth(pid)
    const top = files.filter(({ file }) => !file.folder_id).map(({ file }) => file)
    expect(top.some(({ type }) => type === FOLDER)).toBe(true)
    const same: Behaviour = ({ response }) => void response.writeHead(200).end(JSON.stringify(top))
    sandbox.follow([{ on: 'files.list', pid, does: same }])
    const { sink, of } = await readAll(client, pid, { followDiscovered: true, streams: new Set(['files']) })
    expect(sink.records('file').length).toBeLessThan(files.length)
    expect(of('files')?.discovered?.isListed).toBe(false)
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

test('a list whose trial said nothing is asked with as few retries by each project', async () => {
  const { sandbox, client, pid } = await sandboxed(
    { extended: true },
    { offered: { 'entries.list': true }, retries: 4 },
  )
  sandbox.faults.add({ kind: 'http', status: 503, operation: 'entries.list', times: 'always' })
  const { of } = await readAll(client, pid)
  expect(of('entries')).toMatchObject({ status: 'failed' })
  expect(requestsFor(sandbox, 'entries.list')).toHaveLength(4)
  // other operations keep their retries
  sandbox.faults.add({ kind: 'http', status: 503, operation: 'projects.members.list', times: 4 })
  await expect(client.projects.members.list({ pid })).resolves.not.toHaveLength(0)
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
