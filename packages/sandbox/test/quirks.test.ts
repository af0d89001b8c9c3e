import { UsageError } from '@collab-etl/cli'
import { beforeEach, describe, expect, test } from 'vitest'
import { type ProjectTruth, QUIRK_LIST, QuirkError, type Sandbox, startSandbox } from '../src/index.ts'
import { call, operate, readFlags, sandboxForTest } from './support.ts'

let sandbox: Sandbox
let pid: string
let truth: ProjectTruth

beforeEach(async () => {
  const sizes = { projects: 2, tasks: 60, archived: 46, pages: 30, posts: 16, events: 60 }
  sandbox = await sandboxForTest({ ...sizes, totalCount: true })
  pid = sandbox.pids[0] ?? ''
  truth = sandbox.store.truth(pid)
})

const ALL = { start: 1_000_000_000_000, end: 1_999_999_999_999 }

/** The parts of an answer that tests check. */
async function read(id: Parameters<typeof operate>[1], params: Record<string, string | number> = {}) {
  const { status, headers, json } = await operate(sandbox, id, { pid, ...params })
  return { status, total: headers.get('x-total-count'), json, code: Object(json).error_code as number | undefined }
}

const archived = (page: number, size = 10) => read('tasks.archived.list', { page, size })

test.each([
  ['events-cap=3', 'events.list', (all: ProjectTruth) => all.events],
  ['tasks-cap=3', 'tasks.list', (all: ProjectTruth) => all.tasks],
  ['pages-cap=3', 'pages.list', (all: ProjectTruth) => all.pages],
] as const)('%s cuts the answer and hides its length', async (quirk, id, whole) => {
  sandbox.setQuirks([quirk])
  expect(await read(id, ALL)).toMatchObject({ json: whole(truth).slice(0, 3), total: null })
  sandbox.setQuirks([])
  expect(await read(id, ALL)).toMatchObject({ json: whole(truth), total: String(whole(truth).length) })
})

test('comments-cap=1 cuts the comments of posts and files', async () => {
  sandbox.setQuirks(['comments-cap=1'])
  for (const { post, comments } of truth.posts) {
    expect((await read('posts.comments.list', { post_id: post.post_id })).json).toEqual(comments.slice(0, 1))
  }
  for (const { file, comments } of truth.files) {
    expect((await read('files.comments.list', { fid: file.fid })).json).toEqual(comments.slice(0, 1))
  }
})

test('events-wide-empty answers [] only to wide ranges', async () => {
  sandbox.setQuirks(['events-wide-empty'])
  expect(await read('events.list', ALL)).toMatchObject({ json: [], total: null })
  const start = Date.parse(truth.events[0]?.start ?? '')
  const month = await read('events.list', { start, end: start + 31 * 86_400_000 })
  expect(month.json).toContainEqual(truth.events[0])
})

test('clamp-pages repeats the last page, error-beyond-end answers 600027', async () => {
  sandbox.setQuirks(['clamp-pages'])
  const last = Math.ceil(truth.archived_tasks.length / 10)
  expect((await archived(last + 5)).json).toEqual(truth.archived_tasks.slice((last - 1) * 10))
  sandbox.setQuirks(['error-beyond-end'])
  expect((await archived(last)).status).toBe(200)
  expect(await archived(last + 1)).toMatchObject({ status: 500, code: 600027 })
})

test('zero-based-pages begins at page 0, ignore-page always returns the first', async () => {
  expect(await archived(0)).toMatchObject({ code: 600027 })
  sandbox.setQuirks(['zero-based-pages'])
  expect((await archived(0)).json).toEqual(truth.archived_tasks.slice(0, 10))
  expect((await archived(1)).json).toEqual(truth.archived_tasks.slice(10, 20))
  sandbox.setQuirks(['ignore-page'])
  expect((await archived(4)).json).toEqual(truth.archived_tasks.slice(0, 10))
})

test('max-page-size rejects larger sizes, page-cap returns fewer records', async () => {
  sandbox.setQuirks(['max-page-size=5'])
  expect(await archived(1, 6)).toMatchObject({ status: 400, code: 600027 })
  expect((await archived(2, 5)).json).toEqual(truth.archived_tasks.slice(5, 10))
  sandbox.setQuirks(['page-cap=4'])
  expect((await archived(2, 10)).json).toEqual(truth.archived_tasks.slice(4, 8))
})

test('task-in-both-lists adds an open task to the archived ones', async () => {
  sandbox.setQuirks(['task-in-both-lists'])
  const { json, total } = await archived(1)
  const { pos: _pos, completed_date: _date, ...bare } = truth.tasks[0] ?? {}
  expect(json).toEqual([bare, ...truth.archived_tasks.slice(0, 9)])
  expect(total).toBe(String(truth.archived_tasks.length + 1))
})

test('leave-out drops fields of all records, or always of the same few', async () => {
  sandbox.setQuirks(['leave-out=page.content,task.desc/3'])
  expect((await read('pages.list')).json).toEqual(truth.pages.map(({ content: _, ...page }) => page))
  const tasks = (await read('tasks.list')).json as object[] // a list of tasks
  const without = tasks.filter((task) => !('desc' in task))
  expect(without.length).toBeGreaterThan(0)
  expect(without.length).toBeLessThan(tasks.length)
  expect((await read('tasks.list')).json).toEqual(tasks)
})

test.each([
  ['epoch-ms', (time: string) => Date.parse(time), (time: string) => Date.parse(time)],
  [
    'epoch-s',
    (time: string) => Math.floor(Date.parse(time) / 1000),
    (time: string) => Math.floor(Date.parse(time) / 1000),
  ],
  ['date-only', (time: string) => time, (time: string) => time.slice(0, 10)],
] as const)('%s writes times in its own form', async (quirk, time, due) => {
  sandbox.setQuirks([quirk])
  const tasks = truth.tasks.map((task) => ({
    ...task,
    created_at: time(task.created_at),
    updated_at: time(task.updated_at),
    expire_date: due(task.expire_date),
    completed_date: due(task.completed_date),
    badges: { ...task.badges, expire_date: due(task.badges.expire_date) },
  }))
  expect((await read('tasks.list')).json).toEqual(tasks)
})

test('offset-times names the same instants', async () => {
  sandbox.setQuirks(['offset-times'])
  const events = (await read('events.list', ALL)).json as { start: string }[] // a list of events
  expect(events.every(({ start }) => start.endsWith('+08:00'))).toBe(true)
  expect(events.map(({ start }) => Date.parse(start))).toEqual(truth.events.map(({ start }) => Date.parse(start)))
})

test('null-lists and null-inner-lists write null for empty lists', async () => {
  sandbox.setQuirks(['null-lists', 'null-inner-lists'])
  expect(await read('events.list', { start: 1_000_000_000_000, end: 1_000_000_000_001 })).toMatchObject({ json: null })
  const tasks = (await read('tasks.list')).json as { labels: unknown }[] // a list of tasks
  expect(tasks.map(({ labels }) => labels)).toEqual(
    truth.tasks.map(({ labels }) => (labels.length === 0 ? null : labels)),
  )
})

test('file-size-text writes sizes with units', async () => {
  sandbox.setQuirks(['file-size-text'])
  const fid = truth.files.find(({ file }) => Number(file.size) > 0)?.file.fid ?? ''
  expect(Object((await read('files.get', { fid })).json).size).toMatch(/^\d+\.\d\dKB$/)
})

test('task-files: tasks have as many attachments as their counter says, files of their project', async () => {
  sandbox.setQuirks(['task-files'])
  const tasks = (await read('tasks.list')).json as {
    fids: string[]
    files: { fid: string }[]
    badges: { file_count: number }
  }[] // a list of tasks
  const files = truth.files.filter(({ file }) => file.type === 0).map(({ file }) => file.fid)
  for (const task of tasks) {
    expect(task.files.map(({ fid }) => fid)).toEqual(task.fids)
    expect([task.fids.length, files]).toEqual([
      Math.min(task.badges.file_count, files.length),
      expect.arrayContaining(task.fids),
    ])
  }
  expect(tasks.some(({ fids }) => fids.length > 1)).toBe(true)
})

test('foreign-pid: some events name another project, always the same ones', async () => {
  sandbox.setQuirks(['foreign-pid'])
  const events = (await read('events.list', ALL)).json as { project: { pid: string } }[] // a list of events
  expect(new Set(events.map(({ project }) => project.pid)).size).toBe(2)
  expect((await read('events.list', ALL)).json).toEqual(events)
})

describe('quirks of observed operations', () => {
  beforeEach(() => sandbox.setExtended(true))

  test('posts-without-content leaves the content out of the list only', async () => {
    sandbox.setQuirks(['posts-without-content'])
    expect((await read('posts.list')).json).toEqual(truth.posts.map(({ post: { content: _, ...post } }) => post))
    const [first] = truth.posts
    expect((await read('posts.get', { post_id: first?.post.post_id ?? '' })).json).toEqual(first?.post)
  })

  test('folder-in-itself: one folder is among its own files', async () => {
    sandbox.setQuirks(['folder-in-itself'])
    const folders = truth.files.filter(({ file }) => file.type === 1).map(({ file }) => file.fid)
    const lists = await Promise.all(folders.map((folder_id) => read('files.list', { folder_id })))
    const fids = lists.map(({ json }) => (json as { fid: string }[]).map(({ fid }) => fid)) // lists of files
    expect(folders.filter((fid, index) => fids[index]?.includes(fid))).toEqual(folders.slice(0, 1))
  })

  test('members-without-email: some members have none, always the same ones', async () => {
    sandbox.setQuirks(['members-without-email'])
    const members = (await read('projects.members.list')).json as object[] // a list of members
    const without = members.filter((member) => !('email' in member))
    expect(without.length).toBeGreaterThan(0)
    expect(without.length).toBeLessThan(members.length)
    expect((await read('projects.members.list')).json).toEqual(members)
  })

  test('lists-cap cuts every list, and the pages of archived tasks without gaps', async () => {
    sandbox.setQuirks(['lists-cap=3'])
    expect((await read('posts.list')).json).toEqual(truth.posts.slice(0, 3).map(({ post }) => post))
    expect((await read('entries.list')).json).toEqual(truth.entries.slice(0, 3))
    expect((await read('pages.list')).json).toEqual(truth.pages.slice(0, 3))
    expect((await archived(2)).json).toEqual(truth.archived_tasks.slice(3, 6))
  })

  test('comments-cap, leave-out and times apply to observed operations', async () => {
    const { tid, created_at } = truth.tasks.find(({ badges }) => badges.comment_count > 1) ?? {
      tid: '',
      created_at: '',
    }
    sandbox.setQuirks(['comments-cap=1', 'leave-out=entry.pos', 'epoch-ms'])
    const comments = (await read('tasks.comments.list', { tid })).json
    expect(comments).toEqual([{ ...truth.task_comments[tid]?.[0], created_at: Date.parse(created_at) }])
    expect(Object(await read('entries.list')).json[0]).not.toHaveProperty('pos')
  })
})

test('code-401 answers 401 with its code from the given request on', async () => {
  sandbox.setQuirks(['code-401=100099@2'])
  expect((await read('projects.list')).status).toBe(200)
  expect(await read('projects.list')).toMatchObject({ status: 401, code: 100099 })
})

test('drop-token-header ignores the token of the header', async () => {
  sandbox.setQuirks(['drop-token-header'])
  expect(await read('projects.list')).toMatchObject({ status: 401, code: 100005 })
  expect((await call(sandbox, 'GET', '/v1/projects', { token: { query: sandbox.token } })).status).toBe(200)
})

test('retry-after-403 and rate-limit-code reject every Nth request', async () => {
  sandbox.setQuirks(['retry-after-403=3', 'rate-limit-code=4290@2'])
  const seen = []
  for (let n = 0; n < 4; n++) seen.push(await operate(sandbox, 'projects.list'))
  expect(seen.map(({ status }) => status)).toEqual([200, 400, 403, 400])
  expect(seen[1]?.json).toMatchObject({ error_code: 4290 })
  expect(seen[2]?.headers.get('retry-after')).toBe('1')
})

test('forbidden-webhooks, bad-post, forbidden-post, bad-file reject one request each', async () => {
  const post_id = truth.posts.find(({ post }) => !truth.unlinked_posts.includes(post.post_id))?.post.post_id ?? ''
  const fid = truth.files.find(({ file }) => !truth.unlinked_files.includes(file.fid))?.file.fid ?? ''
  sandbox.setQuirks(['forbidden-webhooks', 'bad-post', 'bad-file'])
  expect((await read('webhooks.list')).status).toBe(403)
  expect((await operate(sandbox, 'webhooks.list')).status).toBe(200)
  expect(await read('posts.get', { post_id })).toMatchObject({ status: 500, code: 900004 })
  expect(await read('files.get', { fid })).toMatchObject({ status: 500, code: 800003 })
  sandbox.setQuirks(['forbidden-post'])
  expect((await read('posts.get', { post_id })).status).toBe(403)
})

test('quirks change answers, never the store', async () => {
  for (const [usage] of QUIRK_LIST) {
    const value = usage.includes('RESOURCE')
      ? '=page.content'
      : usage.includes('CODE')
        ? '=1@2'
        : usage.includes('N')
          ? '=2'
          : ''
    sandbox.setQuirks([usage.split(/[[=]/, 1)[0] + value])
    for (const id of ['tasks.list', 'pages.list', 'events.list', 'webhooks.list', 'projects.get'] as const)
      await read(id, ALL)
    await archived(1)
  }
  expect(sandbox.store.truth(pid)).toEqual(truth)
})

test('--quirks takes names with values and lists the known ones on error', async () => {
  const flags = await readFlags(['--quirks', 'clamp-pages, leave-out=page.content,task.desc,events-cap=5'], {})
  expect(flags?.quirks).toEqual(['clamp-pages', 'leave-out=page.content,task.desc', 'events-cap=5'])
  for (const [list, message] of [
    ['surprise', /^--quirks: unknown quirk "surprise"; known ones: .*clamp-pages/],
    ['clamp-pages=2', /takes no value/],
    ['events-cap', /takes a value: events-cap=N/],
    ['events-cap=0', /takes a whole number from 1/],
    ['code-401=x', /takes an error code/],
    ['leave-out=page.colour', /takes fields such as page.content/],
    ['constructor', /unknown quirk/],
  ] as const) {
    await expect(readFlags(['--quirks', list], {}), list).rejects.toThrow(UsageError)
    await expect(readFlags(['--quirks', list], {}), list).rejects.toThrow(message)
  }
  await expect(startSandbox({ quirks: ['surprise'] })).rejects.toThrow(QuirkError)
})
