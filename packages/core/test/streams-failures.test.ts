import type { ScopeResult } from '@collab-etl/contract/streams'
import type { Fault } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { listProjects, readPersonalWebhooks, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { task } from './helpers/records.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'
import { clientOf, json, rejection, serve } from './helpers/server.ts'

const always = (fault: Fault): Fault => ({ ...fault, times: 'always' })

/** Reads the first project of a sandbox that such faults strike. */
async function struck(...faults: Fault[]) {
  const { sandbox, client, pid } = await sandboxed({}, { retries: 1 })
  for (const fault of faults) sandbox.faults.add(fault)
  const sink = new RecordingSink()
  const results = await readProject(client, { pid, listed: null }, {}, sink)
  const of = (stream: string) => results.find(({ scope }) => scope.stream === stream)
  return { sink, of, results, sandbox, client, pid }
}

const TASKS = { streams: new Set(['tasks'] as const) }

/** A service whose first answer breaks off after two tasks were read. */
function breaking() {
  return serve((response, _, nth) => {
    const tasks = ['t1', 't2', 't3'].map((tid) => ({ ...task(tid), desc: 'x'.repeat(200_000) }))
    if (nth > 1) return json(response, tasks)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(JSON.stringify(tasks).slice(0, 500_000))
    return setTimeout(() => response.destroy(), 100)
  })
}

const notComplete = (results: readonly ScopeResult[]) =>
  results.filter(({ status }) => status !== 'complete').map(({ scope }) => scope.stream)

describe('a stream that fails', () => {
  test.each([
    ['projects', 'projects.get', 400003],
    ['tasks', 'tasks.list', 600001],
    ['archived_tasks', 'tasks.archived.list', 600027],
    ['pages', 'pages.list', 120001],
    ['events', 'events.list', 700002],
  ] as const)('%s, by an error of %s: it alone, with the code', async (stream, operation, code) => {
    const { results, of } = await struck(always({ kind: 'error', operation, errorCode: code }))
    expect(notComplete(results)).toEqual([stream])
    expect(of(stream)).toMatchObject({ status: 'failed', error: { code: String(code) } })
    expect(of(stream)?.error?.message).toContain(operation)
  })

  test.each([
    ['a gateway in between', { kind: 'http', status: 502 }, 'HTTP_502'],
    ['connections that break', { kind: 'reset' }, 'RESET'],
    ['bodies that break off', { kind: 'truncate' }, 'TRUNCATED'],
    ['an object for a list', { kind: 'object' }, 'WRONG_TYPE'],
    ['nothing', { kind: 'empty' }, 'EMPTY'],
    ['an error with status 200', { kind: 'error_in_200', errorCode: 120001 }, '120001'],
  ] as const)('by %s', async (_, fault, code) => {
    const { results, of } = await struck(always({ ...fault, operation: 'pages.list' }))
    expect(notComplete(results)).toEqual(['pages'])
    expect(of('pages')).toMatchObject({ status: 'failed', error: { code } })
  })

  test.each([
    ['tasks', { kind: 'http', status: 403, operation: 'tasks.list' }],
    ['archived_tasks', { kind: 'error', errorCode: 100007, status: 403, operation: 'tasks.archived.list' }],
    ['webhooks', { kind: 'http', status: 403, operation: 'webhooks.list' }],
  ] as const)('that the token may not read is skipped: %s', async (stream, fault) => {
    const { results, of } = await struck(always(fault))
    expect(notComplete(results)).toEqual([stream])
    expect(of(stream)).toMatchObject({ status: 'skipped', read: 0, error: { code: 'NOT_ALLOWED' } })
  })

  test('a service that ignores page fails the archived tasks', async () => {
    const { client, pid } = await sandboxed({ ignorePage: true, archived: 400 })
    const results = await readProject(client, { pid, listed: null }, {}, new RecordingSink())
    expect(notComplete(results)).toEqual(['archived_tasks'])
    expect(results[2]?.error?.code).toBe('PAGE_IGNORED')
  })

  test('archived tasks that keep moving end as `drifted`, and are counted once', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 300, tasks: 600 })
    sandbox.beforeRequest(({ operation }) => {
      if (operation !== 'tasks.archived.list') return
      sandbox.store.archiveTask(pid, sandbox.store.view(pid).tasks.at(-1)?.tid ?? '')
    })
    const sink = new RecordingSink()
    const options = { streams: new Set(['archived_tasks'] as const), archivedPageSize: 20 }
    const [result] = await readProject(client, { pid, listed: null }, options, sink)
    expect(result).toMatchObject({ status: 'drifted', error: { code: 'DRIFTED' } })
    expect(result?.read).toBe(new Set(sink.records('archived_task').map(({ tid }) => tid)).size)
  })

  test('an answer that breaks off and is read again: what came first is void', async () => {
    const sink = new RecordingSink()
    const [result] = await readProject(clientOf(await breaking()), { pid: 'p', listed: null }, TASKS, sink)
    expect(sink.restarted).toEqual(['p/tasks'])
    expect(sink.records('task').map(({ tid }) => tid)).toEqual(['t1', 't2', 't3'])
    expect(result).toMatchObject({ status: 'complete', read: 3, requests: 2 })
  })

  test('personal webhooks that fail', async () => {
    const { sandbox, client } = await sandboxed({}, { retries: 0 })
    sandbox.faults.add({ kind: 'http', operation: 'webhooks.list' })
    const result = await readPersonalWebhooks(client, new RecordingSink())
    expect(result).toMatchObject({ status: 'failed', error: { code: 'HTTP_503' } })
  })
})

describe('a project that is not to be read', () => {
  test('without permission: all streams skipped, nothing asked', async () => {
    const { sandbox, client } = await sandboxed()
    const [project] = (await listProjects(client)).projects
    if (!project?.listed) throw new Error('the sandbox lists no project')
    const closed = { ...project, listed: { ...project.listed, permission: 0 } }
    sandbox.clearRequests()
    const sink = new RecordingSink()
    const known = [{ id: 'A1', source: 'flag' }]
    const results = await readProject(client, closed, { knownPosts: known, knownFiles: known }, sink)
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['skipped']))
    expect(results).toHaveLength(8)
    expect(results[0]?.error?.code).toBe('NO_PERMISSION')
    expect(sink.results).toHaveLength(8)
    expect(sandbox.requests).toHaveLength(0)
  })

  test('deleted meanwhile: all streams skipped, those that were read too', async () => {
    const { results, sink } = await struck(always({ kind: 'error', operation: 'projects.get', errorCode: 400004 }))
    expect(results.map(({ status, read }) => ({ status, read }))).toEqual(Array(8).fill({ status: 'skipped', read: 0 }))
    expect(results[3]?.error).toEqual({ code: '400004', message: 'the project was deleted meanwhile' })
    expect(sink.results).toHaveLength(8)
  })

  test('an answer that it does not exist counts only if a second request confirms it', async () => {
    const { results, sandbox } = await struck({ kind: 'error', operation: 'projects.get', errorCode: 400004 })
    expect(notComplete(results)).toEqual([])
    expect(requestsFor(sandbox, 'projects.get')).toHaveLength(2)
  })

  test.each([
    [
      'that the list still names fails, and is not skipped',
      false,
      'failed',
      /although the list of projects still contains it/,
    ],
    ['that left the list meanwhile is skipped', true, 'skipped', /^the project was deleted meanwhile$/],
  ] as const)('a listed project %s', async (_, isDeleted, status, message) => {
    const { sandbox, client, pid } = await sandboxed()
    const project = (await listProjects(client)).projects.find((listed) => listed.pid === pid)
    if (project === undefined) throw new Error('the sandbox lists no project')
    sandbox.beforeRequest(({ operation }) => {
      if (operation === 'projects.get' && isDeleted) sandbox.store.removeProject(pid)
    })
    if (!isDeleted) sandbox.faults.add(always({ kind: 'error', operation: 'projects.get', errorCode: 400004 }))
    const results = await readProject(client, project, {}, new RecordingSink())
    expect(results[0]).toMatchObject({ status, error: { code: '400004', message: expect.stringMatching(message) } })
    expect(results.every((result) => result.status === 'skipped')).toBe(isDeleted)
  })

  test.each([200, 400, 410, 429, 500, 502])('400004 with HTTP %d proves nothing', async (status) => {
    const { results } = await struck(always({ kind: 'error', operation: 'projects.get', errorCode: 400004, status }))
    expect(notComplete(results)).toEqual(['projects'])
    expect(results[0]).toMatchObject({ status: 'failed', error: { code: '400004' } })
  })

  test('400004 with HTTP 403 means that the token may not read it, not that it does not exist', async () => {
    const denied = { kind: 'error', operation: 'projects.get', errorCode: 400004, status: 403 } as const
    const { results } = await struck(always(denied))
    expect(notComplete(results)).toEqual(['projects'])
    expect(results[0]).toMatchObject({ status: 'skipped', error: { code: 'NOT_ALLOWED' } })
  })
})

describe.each([
  ['post', 900005],
  ['file', 800004],
] as const)('a %s that the service says does not exist (%d)', (kind, errorCode) => {
  const operation = `${kind}s.get` as const
  const read = async (faults: readonly Fault[], isStored = true) => {
    const { sandbox, client, pid } = await sandboxed({}, { retries: 0 })
    const { posts, files } = sandbox.store.truth(pid)
    const id = (kind === 'post' ? posts[0]?.post.post_id : files[0]?.file.fid) ?? ''
    for (const fault of faults) sandbox.faults.add(fault)
    const known = [{ id, source: 'known', isStored }]
    const options = { streams: new Set([`${kind}s`] as const), followDiscovered: false }
    const sink = new RecordingSink()
    const given = kind === 'post' ? { knownPosts: known } : { knownFiles: known }
    const [result] = await readProject(client, { pid, listed: null }, { ...options, ...given }, sink)
    return { id, result, gone: sink.records(`not_found_${kind}`).length }
  }

  test.each([200, 400, 403, 410, 429, 500, 502])('is unread instead of not found, with HTTP %d', async (status) => {
    const { id, result, gone } = await read([always({ kind: 'error', operation, errorCode, status })])
    expect(gone).toBe(0)
    expect(result).toMatchObject({ status: 'partial', unread: [{ id }] })
  })

  test('is not found only if a second request confirms it, in case it is stored', async () => {
    const fault: Fault = { kind: 'error', operation, errorCode }
    expect(await read([fault])).toMatchObject({ gone: 0, result: { status: 'complete', read: expect.any(Number) } })
    expect(await read([always(fault)])).toMatchObject({ gone: 1, result: { status: 'complete', read: 0 } })
    expect(await read([fault], false), 'where it is not').toMatchObject({ gone: 1 })
  })
})

describe('what ends everything', () => {
  test('a refused token', async () => {
    const { sandbox, pid } = await sandboxed()
    const client = clientOf(sandbox.baseUrl, { token: 'wrong' })
    const sink = new RecordingSink()
    await expect(readProject(client, { pid, listed: null }, {}, sink)).rejects.toMatchObject({ code: 100006 })
    expect(sink.results).toEqual([])
    await expect(readPersonalWebhooks(client, sink)).rejects.toMatchObject({ code: 100006 })
    await expect(listProjects(client)).rejects.toMatchObject({ code: 100006 })
  })

  test('a token that is refused from some request on: nothing ends after it', async () => {
    const { sandbox, client, pid } = await sandboxed()
    sandbox.faults.add(always({ kind: 'error', operation: 'posts.get', errorCode: 100005 }))
    const sink = new RecordingSink()
    await expect(readProject(client, { pid, listed: null }, {}, sink)).rejects.toMatchObject({ code: 100005 })
    expect(sink.statuses).not.toHaveProperty('posts')
    expect(sink.statuses).not.toHaveProperty('files')
  })

  test('an abort', async () => {
    const { sandbox, client, pid } = await sandboxed()
    const stop = new AbortController()
    sandbox.beforeRequest(({ operation }) => {
      if (operation === 'posts.get') stop.abort()
    })
    const reading = readProject(client, { pid, listed: null }, { signal: stop.signal }, new RecordingSink())
    await expect(reading).rejects.toMatchObject({ kind: 'aborted' })
    await expect(readPersonalWebhooks(client, new RecordingSink(), { signal: stop.signal })).rejects.toMatchObject({
      kind: 'aborted',
    })
  })

  test('a client that was closed', async () => {
    const { client, pid } = await sandboxed()
    await client.close()
    const reading = readProject(client, { pid, listed: null }, {}, new RecordingSink())
    await expect(reading).rejects.toMatchObject({ kind: 'aborted' })
  })

  test.each(['write', 'restart', 'end'] as const)('a sink that fails in %s: its own error', async (method) => {
    const full = new Error('disk full')
    const sink = Object.assign(new RecordingSink(), { [method]: () => Promise.reject(full) })
    const client = clientOf(await breaking())
    expect(await rejection(readProject(client, { pid: 'p', listed: null }, TASKS, sink))).toBe(full)
  })
})

describe('records that name another project', () => {
  test('are emitted with a loss; those that name none, without', async () => {
    const page = { page_id: 'g1', parent_id: '', name: '', summary: '', content: '', watchers: [], owner: null }
    const server = await serve((response, { url }) => {
      const pages = ['p', 'other', ''].map((pid, index) => ({ ...page, page_id: `g${index}`, pid }))
      json(response, url.startsWith('/v1/pages') ? pages : [{ wid: 'w1', pid: 'p', actions: [] }])
    })
    const sink = new RecordingSink()
    const client = clientOf(server)
    await readProject(client, { pid: 'p', listed: null }, { streams: new Set(['pages', 'webhooks'] as const) }, sink)
    expect(sink.records('page')).toHaveLength(3)
    expect(sink.losses.filter(({ kind }) => kind === 'misplaced')).toEqual([
      { recordKey: 'g1', field: 'pid', kind: 'misplaced', original: '"other"' },
    ])
    const personal = new RecordingSink()
    await readPersonalWebhooks(client, personal)
    expect(personal.losses).toContainEqual({ recordKey: 'w1', field: 'pid', kind: 'misplaced', original: '"p"' })
  })
})

describe('a thing that the service knows by another id', () => {
  test('is emitted once, under that id', async () => {
    const post = { pid: 'p', name: '', summary: '', content: '', watchers: [], owner: null }
    const server = await serve((response, { url }) => {
      json(response, url.includes('/comments') ? [] : { ...post, post_id: 'a1' })
    })
    const sink = new RecordingSink()
    const knownPosts = ['A1', 'a1', 'A%31'].map((id) => ({ id, source: 'file' }))
    const options = { streams: new Set(['posts'] as const), knownPosts }
    const [result] = await readProject(clientOf(server), { pid: 'p', listed: null }, options, sink)
    expect(sink.records('post').map(({ post_id }) => post_id)).toEqual(['a1'])
    expect(result).toMatchObject({ status: 'complete', discovered: { read: 1 } })
  })

  test.each([
    ['once', 1, 'complete'],
    ['every time', 99, 'partial'],
  ] as const)('is not read if it is stored under its own id, unless that came right: %s', async (_, times, status) => {
    const post = { pid: 'p', name: '', summary: '', content: '', watchers: [], owner: null }
    let left = times
    const server = await serve((response, { url }) => {
      if (url.includes('/comments')) return json(response, [])
      const asked = url.includes('/a1') ? 'a1' : 'b1'
      json(response, { ...post, post_id: asked === 'a1' && left-- > 0 ? 'b1' : asked })
    })
    const sink = new RecordingSink()
    const knownPosts = ['a1', 'b1'].map((id) => ({ id, source: 'known', isStored: true }))
    const options = { streams: new Set(['posts'] as const), knownPosts }
    const [result] = await readProject(clientOf(server), { pid: 'p', listed: null }, options, sink)
    expect(result?.status).toBe(status)
    if (status === 'partial') expect(result?.error?.message).toContain('request for post a1 holds post b1')
    else
      expect(
        sink
          .records('post')
          .map(({ post_id }) => post_id)
          .sort(),
      ).toEqual(['a1', 'b1'])
  })
})
