import type { OperationId } from '@collab-etl/contract'
import { type Client, createClient } from '@collab-etl/core'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Fixtures, findFixtures } from './fixtures.ts'

let sandbox: Sandbox
let client: Client
let ids: Fixtures

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 7, projects: 4, tasks: 60, archived: 40, pages: 12, posts: 8, events: 24 })
  client = createClient({ baseUrl: sandbox.baseUrl, token: sandbox.token, retries: 0 })
  ids = findFixtures(sandbox)
})

afterEach(async () => {
  await client.close()
  await sandbox.close()
})

/** One test per operation: its answer, and its effect on later reads. */
const SUCCESS: Record<OperationId, () => Promise<void>> = {
  'tasks.list': async () => {
    const all = await client.tasks.list({ pid: ids.pid })
    expect(all.map(({ tid }) => tid).sort()).toEqual(ids.truth.tasks.map(({ tid }) => tid).sort())
    const byType = await Promise.all(
      (['completed', 'uncompleted'] as const).map((type) => client.tasks.list({ pid: ids.pid, type })),
    )
    expect(byType.flat().length).toBe(all.length)
    expect(byType[0]?.every(({ completed }) => completed === 1)).toBe(true)
  },
  'tasks.archived.list': async () => {
    const page = await client.tasks.archived.list({ pid: ids.pid, page: 1, size: 3 })
    expect(page).toHaveLength(3)
    expect(page[0]).not.toHaveProperty('pos')
    expect(page[0]).not.toHaveProperty('completed_date')
    expect(await client.tasks.archived.list({ pid: ids.pid, page: 10_000, size: 3 })).toEqual([])
  },
  'tasks.today.list': async () => {
    for (const task of await client.tasks.today.list()) expect(typeof task.pos).toBe('number')
  },
  'tasks.create': async () => {
    const made = await client.tasks.create({ pid: ids.pid, name: 'Ink', entry_id: ids.entry_id, desc: 'black' })
    expect(made).toMatchObject({ name: 'Ink', desc: 'black', completed: 0, labels: [], todos: [], members: [] })
    expect(made.watchers).toHaveLength(1)
    expect((await client.tasks.list({ pid: ids.pid })).some(({ tid }) => tid === made.tid)).toBe(true)
  },
  'tasks.comments.create': async () => {
    const made = await client.tasks.comments.create({ pid: ids.pid, tid: ids.tid, message: 'so be it' })
    expect(made).toMatchObject({ message: 'so be it' })
    expect(made.uid).toBe(made.owner?.uid)
    const task = (await client.tasks.list({ pid: ids.pid })).find(({ tid }) => tid === ids.tid)
    const before = ids.truth.tasks.find(({ tid }) => tid === ids.tid)
    expect(task?.badges?.comment_count).toBe(Number(before?.badges.comment_count) + 1)
  },
  'tasks.members.delete': async () => {
    const { tid, member_id } = ids.assigned
    expect(await client.tasks.members.delete({ pid: ids.pid, tid, member_id })).toMatchObject({ success: true })
    const task = (await client.tasks.list({ pid: ids.pid })).find((each) => each.tid === tid)
    expect(task?.members.some(({ uid }) => uid === member_id)).toBe(false)
  },
  'tasks.labels.delete': async () => {
    const { tid, label } = ids.labelled
    expect(await client.tasks.labels.delete({ pid: ids.pid, tid, label })).toMatchObject({ success: true })
    const task = (await client.tasks.list({ pid: ids.pid })).find((each) => each.tid === tid)
    expect(task?.labels.some(({ name }) => name === label)).toBe(false)
  },
  'entries.delete': async () => {
    expect(await client.entries.delete({ pid: ids.pid, entry_id: ids.entry_id })).toMatchObject({ success: true })
    const left = await client.tasks.list({ pid: ids.pid })
    expect(left.some(({ entry_id }) => entry_id === ids.entry_id)).toBe(false)
  },
  'posts.comments.list': async () => {
    const comments = await client.posts.comments.list({ pid: ids.pid, post_id: ids.post_id })
    expect(comments.map(({ cid }) => cid)).toContain(ids.cid)
    for (const comment of comments) expect(typeof comment.raw_message).toBe('string')
  },
  'posts.get': async () => {
    const post = await client.posts.get({ pid: ids.pid, post_id: ids.post_id })
    expect(post).toMatchObject({ post_id: ids.post_id, pid: ids.pid })
    expect(typeof post.content).toBe('string')
  },
  'posts.create': async () => {
    const made = await client.posts.create({ pid: ids.pid, name: 'News', content: '# none' })
    expect(made).not.toHaveProperty('content')
    const read = await client.posts.get({ pid: ids.pid, post_id: made.post_id })
    expect(read).toMatchObject({ name: 'News', content: '# none' })
  },
  'posts.comments.delete': async () => {
    const { pid, post_id, cid } = ids
    expect(await client.posts.comments.delete({ pid, post_id, cid })).toMatchObject({ success: true })
    const left = await client.posts.comments.list({ pid, post_id })
    expect(left.some((comment) => comment.cid === cid)).toBe(false)
  },
  'files.comments.list': async () => {
    const comments = await client.files.comments.list({ pid: ids.pid, fid: ids.fid })
    expect(Array.isArray(comments)).toBe(true)
  },
  'files.get': async () => {
    const file = await client.files.get({ pid: ids.pid, fid: ids.fid })
    expect(file).toMatchObject({ fid: ids.fid, pid: ids.pid })
    expect([0, 1]).toContain(file.type)
  },
  'pages.list': async () => {
    const pages = await client.pages.list({ pid: ids.pid })
    expect(pages.map(({ page_id }) => page_id).sort()).toEqual(ids.truth.pages.map(({ page_id }) => page_id).sort())
    for (const page of pages) expect(typeof page.content).toBe('string')
  },
  'pages.create': async () => {
    const parent = await client.pages.create({ pid: ids.pid, name: 'Up' })
    const child = await client.pages.create({ pid: ids.pid, name: 'Down', content: '*', parent_id: parent.page_id })
    expect(child).toMatchObject({ name: 'Down', parent_id: parent.page_id })
    expect(child).not.toHaveProperty('content')
    const listed = (await client.pages.list({ pid: ids.pid })).find(({ page_id }) => page_id === child.page_id)
    expect(listed).toMatchObject({ content: '*', parent_id: parent.page_id })
  },
  'projects.list': async () => {
    const projects = await client.projects.list()
    expect(projects.map(({ pid }) => pid)).toContain(ids.pid)
  },
  'projects.get': async () => {
    const project = await client.projects.get({ pid: ids.pid })
    expect(project).toMatchObject({ pid: ids.pid })
    expect(typeof project.created_by?.uid).toBe('string')
  },
  'events.today.list': async () => {
    expect(Array.isArray(await client.events.today.list({ pid: ids.pid }))).toBe(true)
  },
  'events.list': async () => {
    const [start, end] = [Date.UTC(2010, 0, 1), Date.UTC(2028, 0, 1)]
    const events = await client.events.list({ pid: ids.pid, start, end })
    expect(events.map(({ event_id }) => event_id).sort()).toEqual(ids.truth.events.map((e) => e.event_id).sort())
  },
  'events.comments.delete': async () => {
    const { event_id, cid } = ids.eventComment
    expect(await client.events.comments.delete({ pid: ids.pid, event_id, cid })).toMatchObject({ success: true })
    await expect(client.events.comments.delete({ pid: ids.pid, event_id, cid })).rejects.toMatchObject({ code: 200009 })
  },
  'webhooks.list': async () => {
    const own = await client.webhooks.list({ pid: ids.pid })
    expect(own.every(({ type }) => type === 0)).toBe(true)
    const personal = await client.webhooks.list()
    expect(personal.every(({ type }) => type === 1)).toBe(true)
  },
  'webhooks.delete': async () => {
    expect(await client.webhooks.delete({ wid: ids.wid, pid: ids.pid })).toMatchObject({ success: true })
    expect((await client.webhooks.list({ pid: ids.pid })).some(({ wid }) => wid === ids.wid)).toBe(false)
    expect(await client.webhooks.delete({ wid: ids.wid, pid: ids.pid })).toMatchObject({ success: false })
  },
}

describe('each of the 23 operations, called by core on the sandbox', () => {
  test.each(Object.entries(SUCCESS))('%s', (_id, check) => check())
})
