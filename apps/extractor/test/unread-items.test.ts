import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testThoroughly } from '@collab-etl/harness/thorough'
import type { Fault } from '@collab-etl/sandbox'
import { expect, test } from 'vitest'
import { type Open, onBackendsOfSlowTests, openWorld } from './world.ts'

/** A service with one project whose only links are those in the first page. */
async function service(open: Open, links: readonly string[], posts = 6) {
  const of = await openWorld({ projects: 1, tasks: 3, archived: 2, pages: 2, posts, events: 0, retries: 0 }, open)
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
      kind: 'error',
      errorCode: 900004,
      operation: 'posts.get',
      times: 'always',
      where: { post_id: id },
      ...fault,
    })
  const linkAll = () => {
    const text = ids.map((id) => `/project/${pid}/post/${id}`).join(' ')
    sandbox.store.change(pid, ({ pages }) => Object.assign(pages[0] ?? {}, { content: text }))
  }
  return { ...of, fail, linkAll }
}

onBackendsOfSlowTests('a post that cannot be read', (open) => {
  test('is no post of the service if another site has it', async () => {
    await using of = await service(open, ['https://blog.example.com/posts/hello-world'])
    of.fail('hello-world')
    const run = await of.snapshot(...of.named)
    expect(run).toMatchObject({ code: 0, posts: { known: 6, read: 6 }, unread_items: [] })
    expect(of.sandbox.requests.filter(({ path }) => path.includes('hello-world'))).toEqual([])
    await writeFile(join(of.path, 'collab.yaml'), 'service_hosts: [blog.example.com]\n')
    expect(await of.snapshot()).toMatchObject({
      code: 0,
      posts: { known: 7 },
      unread_items: [{ item_id: 'hello-world' }],
    })
    await writeFile(join(of.path, 'collab.yaml'), 'service_hosts: [https://blog.example.com]\n')
    const refused = await of.extract(['snapshot'])
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('collab.yaml:1: service_hosts entry 1 must be'),
    })
  })

  testThoroughly('is requested by the next run if an outage prevented reading linked posts', async () => {
    await using of = await service(open, [], 60)
    const { ids, rows, snapshot, linkAll } = of
    linkAll()
    const faults = ids.slice(10).map((id) => of.fail(id))
    const first = await snapshot()
    const left = first.posts.left
    expect(first).toMatchObject({ code: 3, status: 'partial', posts: { known: 60, read: 10 } })
    expect(first.not_whole).toMatchObject([{ stream: 'posts', status: 'partial', error: { code: 'NOT_REQUESTED' } }])
    expect(first.not_whole[0].error.message).toContain(`${left} more were not requested`)
    expect(left + first.unread_items.length).toBe(50)
    expect(await rows('SELECT count(*)::int FROM collab.known_posts WHERE ask_again_at IS NOT NULL')).toEqual([[0]])
    for (const fault of faults) fault.remove()
    expect(await snapshot()).toMatchObject({ code: 0, status: 'succeeded', posts: { read: 60 }, unread_items: [] })
    expect(await rows('SELECT count(*)::int FROM collab.posts WHERE deleted_at IS NULL')).toEqual([[60]])
  })
})
