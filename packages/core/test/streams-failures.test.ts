import type { Fault } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { listProjects, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { sandboxed } from './helpers/sandbox.ts'
import { clientOf, json, serve } from './helpers/server.ts'

// What else a service may do to lists, items and projects, and what a snapshot makes of it: test/faults/service.

describe('a stream that fails', () => {
  test.each(['write', 'end'] as const)('a sink that fails in %s: its own error', async (method) => {
    const { client, pid } = await sandboxed()
    const full = new Error('disk full')
    const sink = Object.assign(new RecordingSink(), { [method]: () => Promise.reject(full) })
    await expect(readProject(client, { pid, listed: null }, {}, sink)).rejects.toBe(full)
  })
})

test('a project without permission: all streams skipped, nothing asked', async () => {
  const { sandbox, client } = await sandboxed()
  const [project] = (await listProjects(client)).projects
  if (!project?.listed) throw new Error('the sandbox lists no project')
  const closed = { ...project, listed: { ...project.listed, permission: 0 } }
  sandbox.clearRequests()
  const sink = new RecordingSink()
  const known = [{ id: 'A1', source: 'flag' }]
  const results = await readProject(client, closed, { knownPosts: known, knownFiles: known }, sink)
  expect(results).toMatchObject(Array(8).fill({ status: 'skipped' }))
  expect(results[0]?.error?.code).toBe('NO_PERMISSION')
  expect(sink.results).toHaveLength(8)
  expect(sandbox.requests).toHaveLength(0)
})

test.each([
  ['post', 900005],
  ['file', 800004],
] as const)('a stored %s is not found only if a second request confirms it', async (kind, errorCode) => {
  const { sandbox, client, pid } = await sandboxed({}, { retries: 0 })
  const { posts, files } = sandbox.store.truth(pid)
  const id = (kind === 'post' ? posts[0]?.post.post_id : files[0]?.file.fid) ?? ''
  const read = async (fault: Partial<Fault>, isStored: boolean) => {
    sandbox.faults.clear()
    sandbox.faults.add({ kind: 'error', operation: `${kind}s.get`, errorCode, ...fault })
    const known = [{ id, source: 'known', isStored }]
    const options = { streams: new Set([`${kind}s`] as const), followDiscovered: false }
    const sink = new RecordingSink()
    const given = kind === 'post' ? { knownPosts: known } : { knownFiles: known }
    const [result] = await readProject(client, { pid, listed: null }, { ...options, ...given }, sink)
    expect(result?.status).toBe('complete')
    return sink.records(`not_found_${kind}`).length
  }
  expect(await read({}, true)).toBe(0)
  expect(await read({ times: 'always' }, true)).toBe(1)
  expect(await read({}, false), 'where it is not stored').toBe(1)
})

describe('a thing that the service knows by another id', () => {
  /** Reads posts of a service that answers with the post of the id that `idOf` returns. */
  async function read(ids: readonly string[], isStored: boolean, idOf: (url: string) => string) {
    const post = { pid: 'p', name: '', summary: '', content: '', watchers: [], owner: null }
    const server = await serve((response, { url }) => {
      json(response, url.includes('/comments') ? [] : { ...post, post_id: idOf(url) })
    })
    const sink = new RecordingSink()
    const knownPosts = ids.map((id) => ({ id, source: 'known', isStored }))
    const options = { streams: new Set(['posts'] as const), knownPosts }
    const [result] = await readProject(clientOf(server), { pid: 'p', listed: null }, options, sink)
    return { result, ids: sink.records('post').map(({ post_id }) => post_id) }
  }

  test('is emitted once, under that id', async () => {
    const { result, ids } = await read(['A1', 'a1', 'A%31'], false, () => 'a1')
    expect(ids).toEqual(['a1'])
    expect(result).toMatchObject({ status: 'complete', discovered: { read: 1 } })
  })

  test.each([
    ['once', 1],
    ['every time', 99],
  ] as const)('is not read if it is stored under its own id, unless that came right: %s', async (_, times) => {
    let left = times
    const { result, ids } = await read(['a1', 'b1'], true, (url) => (url.includes('/b1') || left-- > 0 ? 'b1' : 'a1'))
    expect(result?.status).toBe(times === 1 ? 'complete' : 'partial')
    if (times === 1) expect(ids.toSorted()).toEqual(['a1', 'b1'])
    else expect(result?.error?.message).toContain('request for post a1 holds post b1')
  })
})
