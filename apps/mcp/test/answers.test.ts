import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Connected, connect, HOSTILE, makeSources, type Sources } from './sources.ts'

let sources: Sources
let servers: Readonly<Record<'warehouse' | 'jsonl' | 'csv' | 'markdown', Connected>>

beforeAll(async () => {
  sources = await makeSources()
  const { jsonl, csv, markdown } = sources.backups
  servers = {
    warehouse: await connect([], sources.warehouse),
    jsonl: await connect(['--backup', jsonl]),
    csv: await connect(['--backup', csv]),
    markdown: await connect(['--backup', markdown]),
  }
})
afterAll(async () => {
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]()
  await sources[Symbol.asyncDispose]()
})

/** The answers of the warehouse and of the formats that hold everything must be the same. */
async function answer(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const expected = await servers.warehouse.call(name, args)
  expect(await servers.jsonl.call(name, args)).toEqual(expected)
  expect(await servers.csv.call(name, args)).toEqual(expected)
  return expected
}

const truth = (index = 0) => sources.sandbox.store.truth(sources.sandbox.pids[index] ?? '')

test('every tool is marked read-only; changes and sql are there for a warehouse only', async () => {
  const { tools } = await servers.warehouse.client.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['list_projects', 'search', 'read_page', 'list_tasks', 'run_status', 'sql']),
  )
  for (const { annotations, inputSchema } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
  }
  const ofBackup = await servers.jsonl.client.listTools()
  expect(ofBackup.tools.map(({ name }) => name)).toEqual(
    names.filter((name) => !['changes_since', 'sql'].includes(name)),
  )
})

test('projects have their counts', async () => {
  const found = (await servers.warehouse.call('list_projects')) as {
    items: { pid: string; pages?: number; tasks?: number }[]
  }
  const counts = (pid: string) => {
    const { pages, tasks, archived_tasks: archived } = sources.sandbox.store.truth(pid)
    return { pid, pages: pages.length, tasks: tasks.length + archived.length }
  }
  expect(
    found.items
      // the others are known from the list of a team alone
      .filter(({ pid }) => sources.sandbox.pids.includes(pid))
      .map(({ pid, pages, tasks }) => ({ pid, pages, tasks }))
      .sort((a, b) => (a.pid < b.pid ? -1 : 1)),
  ).toEqual([...sources.sandbox.pids].sort().map(counts))
  expect(await servers.csv.call('list_projects')).toMatchObject({ items: found.items.map(({ pid }) => ({ pid })) })
})

test('a page is returned with its text, and the pages that it links to', async () => {
  const { pages } = truth()
  const [page, linked] = pages
  const found = await answer('read_page', { pid: sources.sandbox.pids[0], page_id: page?.page_id })
  expect(found).toMatchObject({
    page: { page_id: page?.page_id, name: page?.name },
    content: { text: page?.content, total_characters: [...(page?.content ?? '')].length },
    links: [{ kind: 'page', id: linked?.page_id, name: linked?.name }],
  })
})

test('hostile text stays within its string, in results and in resources', async () => {
  const [page] = truth().pages
  const { content } = await servers.warehouse.client.callTool({
    name: 'read_page',
    arguments: { pid: sources.sandbox.pids[0], page_id: page?.page_id },
  })
  expect(content).toHaveLength(1)
  const [task] = truth().tasks
  expect(await answer('read_task', { pid: sources.sandbox.pids[0], tid: task?.tid })).toMatchObject({
    description: { text: HOSTILE },
  })
  const uri = `collab://projects/${sources.sandbox.pids[0]}/pages/${page?.page_id}`
  const { contents } = await servers.jsonl.client.readResource({ uri })
  expect(contents).toMatchObject([
    { uri, mimeType: 'text/markdown', text: page?.content },
    { uri: `${uri}#record`, mimeType: 'application/json' },
  ])
})

test('search finds words in any case, and Chinese without spaces', async () => {
  const [page] = truth().pages
  expect(await answer('search', { query: '计划 INSTRUCTIONS' })).toMatchObject({
    items: [{ kind: 'page', id: page?.page_id, excerpt: expect.stringContaining('计划') }],
  })
  expect(await answer('search', { query: '"instructions all"' })).toEqual({ items: [] })
  expect(await answer('search', { query: '%' })).toEqual(
    await answer('search', { query: '%', kinds: ['page', 'post', 'comment', 'task', 'task_comment'] }),
  )
  const found = (await answer('search', { query: 'a', limit: 3 })) as { items: unknown[]; next_offset: number }
  const all = (await answer('search', { query: 'a', limit: 50 })) as { items: unknown[] }
  const next = (await answer('search', { query: 'a', limit: 3, offset: found.next_offset })) as { items: unknown[] }
  expect([...found.items, ...next.items]).toEqual(all.items.slice(0, 6))
})

test('tasks are listed by each condition, with the same total everywhere', async () => {
  const tasks = sources.sandbox.pids.flatMap((pid) => sources.sandbox.store.truth(pid).tasks)
  const open = tasks.filter(({ completed }) => completed === 0)
  const [withMember] = tasks.filter(({ members }) => members.length > 0)
  const [withLabel] = tasks.filter(({ labels }) => labels.length > 0)
  const [member] = withMember?.members ?? []
  const [label] = withLabel?.labels ?? []
  const all = (await answer('list_tasks', { limit: 200 })) as { total: number }
  expect(all.total).toBe(
    tasks.length + sources.sandbox.pids.flatMap((pid) => sources.sandbox.store.truth(pid).archived_tasks).length,
  )
  expect(await answer('list_tasks', { state: 'open' })).toMatchObject({ total: open.length })
  for (const filter of [
    { person: member?.uid },
    { person: member?.display_name.toUpperCase() },
    { label: label?.name },
    { group: withMember?.entry_name },
    { state: 'overdue' },
    { pid: sources.sandbox.pids[1], due_from: '2024-01-01', due_before: '2027-01-01T00:00Z' },
    { updated_since: '2024-06-01' },
  ]) {
    const found = (await answer('list_tasks', filter)) as { total: number }
    expect(found.total, JSON.stringify(filter)).toBeGreaterThan(0)
    expect(found.total, JSON.stringify(filter)).toBeLessThan(all.total)
  }
})

test('a post is returned with its comments, each of them in full by its id', async () => {
  const pid =
    sources.sandbox.pids.find((id) =>
      sources.sandbox.store.truth(id).posts.some(({ comments }) => comments.length > 1),
    ) ?? ''
  const { post, comments } = sources.sandbox.store.truth(pid).posts.find(({ comments }) => comments.length > 1) ?? {}
  const args = { pid, post_id: post?.post_id }
  const found = (await answer('read_post', args)) as { comments: { items: { cid: string; text: string }[] } }
  expect(found).toMatchObject({ content: { text: post?.content }, comments: { total: comments?.length } })
  expect(found.comments.items.map(({ cid }) => cid).sort()).toEqual(comments?.map(({ cid }) => cid).sort())
  const [first] = found.comments.items
  expect(await answer('read_post', { ...args, cid: first?.cid })).toMatchObject({ comment: { text: first?.text } })
  expect(await answer('read_post', { ...args, comments_offset: 1 })).toMatchObject({
    comments: { items: found.comments.items.slice(1) },
  })
})

test('resources list every page and post once, in parts', async () => {
  const expected = sources.sandbox.pids.flatMap((pid) => {
    const { pages, posts } = sources.sandbox.store.truth(pid)
    return [
      ...pages.map(({ page_id }) => `collab://projects/${pid}/pages/${page_id}`),
      ...posts.map(({ post }) => `collab://projects/${pid}/posts/${post.post_id}`),
    ]
  })
  for (const { client } of Object.values(servers)) {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri).sort()).toEqual(expected.sort())
    const first = Buffer.from(JSON.stringify(['page', sources.sandbox.pids.toSorted()[1], ''])).toString('base64url')
    const rest = await client.listResources({ cursor: first })
    expect(rest.resources.length).toBeLessThan(resources.length)
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(rest.resources.map(({ uri }) => uri)))
    await expect(client.listResources({ cursor: 'x' })).rejects.toThrow('this cursor is not one of an earlier result')
  }
})

test('Markdown alone gives pages and posts, and says that tasks are not in it', async () => {
  const [, page] = truth().pages
  const args = { pid: sources.sandbox.pids[0], page_id: page?.page_id }
  expect(await servers.markdown.call('read_page', args)).toMatchObject({ page: { name: page?.name } })
  expect(await servers.markdown.call('search', { query: '计划' })).toHaveProperty('items.0.kind', 'page')
  expect(await servers.markdown.call('list_tasks')).toMatch(/^error: this backup has no tasks/)
})

test('run_status names the runs of a warehouse, and the time of a backup', async () => {
  const status = (await servers.warehouse.call('run_status')) as { runs: { started_at: string }[] }
  expect(status).toMatchObject({ source: 'warehouse', runs: [{ status: 'succeeded' }], incomplete: [] })
  expect(await servers.jsonl.call('run_status')).toMatchObject({
    source: 'backup',
    read_at: status.runs[0]?.started_at,
  })
})

test('what does not exist, and wrong arguments, are errors that say so', async () => {
  const missing = { pid: 'none', page_id: '\0\ud800' }
  expect(await answer('read_page', missing)).toMatch(/^error: this page does not exist here/)
  expect(await answer('list_tasks', { due_from: 'soon' })).toMatch(/^error: due_from must be a date/)
  expect(await answer('list_tasks', { pid: 1, more: true })).toMatch(/^error: the arguments are wrong: pid: .*more/)
  expect(await answer('search', { query: '""' })).toMatch(/^error: the search has no word/)
  await expect(servers.csv.client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow('there is no such tool')
})

test('a task has its comments, one of them in full, and the search finds them', async () => {
  const [pid] = sources.sandbox.pids
  const { tasks, task_comments } = truth()
  const task = tasks.find(({ badges }) => badges.comment_count > 1)
  const comments = task_comments[task?.tid ?? ''] ?? []
  const found = (await answer('read_task', { pid, tid: task?.tid })) as {
    comments: { total: number; items: unknown[] }
  }
  expect(found.comments.total).toBe(comments.length)
  const last = comments.at(-1)
  expect(found.comments.items).toContainEqual(expect.objectContaining({ cid: last?.cid, text: last?.raw_message }))
  expect(await answer('read_task', { pid, tid: task?.tid, cid: last?.cid })).toMatchObject({
    comment: { cid: last?.cid, text: last?.raw_message },
  })
  const query = `"${last?.raw_message.slice(0, 20)}"`
  const hits = (await answer('search', { query, kinds: ['task_comment'], limit: 50 })) as { items: unknown[] }
  expect(hits.items).toContainEqual(expect.objectContaining({ kind: 'task_comment', name: expect.any(String) }))
})

test('members of a project are listed with role, e-mail address and when they joined', async () => {
  const [pid] = sources.sandbox.pids
  const { members } = truth()
  const found = (await answer('list_members', { pid, limit: 200 })) as { items: object[] }
  expect(found.items).toHaveLength(members.length)
  const [member] = members
  expect(found.items).toContainEqual(
    expect.objectContaining({ uid: member?.uid, email: member?.email, joined_at: member?.join_date }),
  )
  expect(await servers.markdown.call('list_members', { pid })).toMatch(/no members/)
})
