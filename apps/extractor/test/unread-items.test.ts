import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Fault, startSandbox } from '@collab-etl/sandbox'
import { expect, test } from 'vitest'
import { type Database, onDatabasesInTurn } from './databases.ts'
import { namedPosts } from './named-posts.ts'

/** A service with one project whose only links are those in the first page. */
async function service(at: Database, links: readonly string[], posts = 6) {
  const of = await namedPosts(at, { projects: 1, tasks: 3, archived: 2, pages: 2, posts, events: 0 })
  const { sandbox, pid, ids } = of
  sandbox.store.change(pid, ({ pages, posts, tasks }) => {
    for (const each of tasks) Object.assign(each, { desc: '' })
    for (const { post, comments } of posts) {
      Object.assign(post, { content: '', summary: '' })
      for (const comment of comments) Object.assign(comment, { message: '', raw_message: '' })
    }
    for (const page of pages) Object.assign(page, { content: '', summary: '' })
    Object.assign(pages[0] ?? {}, { content: links.join(' ') })
  })
  const fail = (id: string, fault: Partial<Fault> = {}) =>
    sandbox.faults.add({
      ...{ kind: 'error', errorCode: 900004, operation: 'posts.get', times: 'always', where: { post_id: id } },
      ...fault,
    })
  const linkAll = () => {
    const text = ids.map((id) => `/project/${pid}/post/${id}`).join(' ')
    sandbox.store.change(pid, ({ pages }) => Object.assign(pages[0] ?? {}, { content: text }))
  }
  return { ...of, fail, linkAll }
}

onDatabasesInTurn('a post that cannot be read', (open) => {
  test('is no post of the service if another site has it', async () => {
    await using at = await open()
    await using of = await service(at, ['https://blog.example.com/posts/hello-world'])
    of.fail('hello-world')
    const run = await of.snapshot(...of.named)
    expect(run).toMatchObject({ code: 0, posts: { known: 6, read: 6 }, unread_items: [] })
    expect(of.sandbox.requests.filter(({ path }) => path.includes('hello-world'))).toEqual([])
    await writeFile(join(at.path, 'collab.yaml'), 'service_hosts: [blog.example.com]\n')
    expect(await of.snapshot()).toMatchObject({
      code: 0,
      posts: { known: 7 },
      unread_items: [{ item_id: 'hello-world' }],
    })
    await writeFile(join(at.path, 'collab.yaml'), 'service_hosts: [https://blog.example.com]\n')
    const refused = await at.extract(['snapshot'])
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('collab.yaml:1: service_hosts entry 1 must be'),
    })
  })

  test('is requested by the next run if an outage prevented reading linked posts', async () => {
    await using at = await open()
    await using of = await service(at, [], 60)
    const { ids, query, snapshot, linkAll } = of
    linkAll()
    const faults = ids.slice(10).map((id) => of.fail(id))
    const first = await snapshot()
    const left = first.posts.left
    expect(first).toMatchObject({ code: 3, status: 'partial', posts: { known: 60, read: 10 } })
    expect(first.not_whole).toMatchObject([{ stream: 'posts', status: 'partial', error: { code: 'NOT_REQUESTED' } }])
    expect(first.not_whole[0].error.message).toContain(`${left} more were not requested`)
    expect(left + first.unread_items.length).toBe(50)
    expect(await query('SELECT count(*)::int FROM collab.known_posts WHERE ask_again_at IS NOT NULL')).toEqual([[0]])
    for (const fault of faults) fault.remove()
    expect(await snapshot()).toMatchObject({ code: 0, status: 'succeeded', posts: { read: 60 }, unread_items: [] })
    expect(await query('SELECT count(*)::int FROM collab.posts WHERE deleted_at IS NULL')).toEqual([[60]])
  })
})

onDatabasesInTurn('an element without id in the list of projects', (open) => {
  test('is named, and may be any project: one that answers 400004 keeps its rows', async () => {
    await using at = await open()
    const sandbox = await startSandbox({ projects: 3, tasks: 2, archived: 0, pages: 1, posts: 0, events: 0 })
    const [hidden = ''] = sandbox.pids
    let isOdd = false
    const front = createServer(async ({ url = '' }, response) => {
      const answer = await fetch(`${sandbox.baseUrl}${url}`, { headers: { access_token: sandbox.token } })
      const value = (await answer.json()) as { pid: string }[] // only the list is changed
      const { pathname } = new URL(url, sandbox.baseUrl)
      const gone = { error_code: 400004, error_message: '', request: '' }
      const [status, sent] =
        isOdd && pathname === `/v1/projects/${hidden}`
          ? [404, gone]
          : isOdd && pathname === '/v1/projects'
            ? [200, value.map((each) => (each.pid === hidden ? { ...each, pid: undefined } : each))]
            : [answer.status, value]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(sent))
    })
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = front.address() as AddressInfo // it listens on TCP
      const env = { COLLAB_BASE_URL: `http://127.0.0.1:${port}`, COLLAB_TOKEN: sandbox.token, COLLAB_RETRIES: '0' }
      const snapshot = async () => {
        const ran = await at.extract(['snapshot', '--json'], env)
        return { code: ran.code, ...JSON.parse(ran.stdout) }
      }
      expect(await snapshot()).toMatchObject({ code: 0 })
      isOdd = true
      const { code, not_whole, unread_items, losses_by_kind, rows } = await snapshot()
      expect(code).toBe(3)
      expect(not_whole).toMatchObject([
        { pid: null, stream: 'projects', status: 'partial', error: { code: 'UNKEYED' } },
        { pid: hidden, stream: 'projects', status: 'failed', error: { code: 'UNKEYED' } },
      ])
      expect(unread_items).toMatchObject([{ pid: null, stream: 'projects', error_code: 'UNKEYED' }])
      expect(losses_by_kind).toEqual({ unkeyed: 1 })
      expect(rows.projects.deleted).toBe(0)
    } finally {
      front.close()
      await sandbox.close()
    }
  })
})
