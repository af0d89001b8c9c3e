import type { ScopeResult, StreamName } from '@collab-etl/contract/streams'
import { describe, expect, test } from 'vitest'
import { listProjects, type ReadProjectOptions, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { sandboxed } from './helpers/sandbox.ts'

type Setup = Awaited<ReturnType<typeof sandboxed>>

async function read({ client, pid }: Setup, stream: StreamName, options: ReadProjectOptions = {}) {
  const sink = new RecordingSink()
  const [result] = await readProject(client, { pid, listed: null }, { streams: new Set([stream]), ...options }, sink)
  return { result, sink }
}

const drifted = (message: string): Partial<ScopeResult> => ({
  status: 'drifted',
  error: { code: 'POSSIBLY_CAPPED', message },
})

/** Makes the tasks of a project as many as said, half of them completed. */
function setTasks({ sandbox, pid }: Setup, count: number): void {
  sandbox.store.change(pid, ({ tasks }) => {
    const first = tasks[0]
    if (first === undefined) throw new Error('there is no task to copy')
    const made = Array.from({ length: count }, (_, n) => ({
      ...first,
      tid: `t${n}`,
      completed: n % 2 === 0 ? (0 as const) : (1 as const),
    }))
    tasks.splice(0, tasks.length, ...made)
  })
}

describe('a list of tasks', () => {
  test('of 60 that is cut at 20 is not complete, and the records of its parts are emitted', async () => {
    const setup = await sandboxed({ quirks: ['tasks-cap=20'] })
    setTasks(setup, 60)
    const { result, sink } = await read(setup, 'tasks')
    expect(result).toMatchObject(drifted('possibly capped at 20'))
    expect(new Set(sink.records('task').map(({ tid }) => tid)).size).toBe(40)
  })

  test('of 20 without a stated length is whole where both its parts are shorter', async () => {
    const setup = await sandboxed({ quirks: ['no-total-count'] })
    setTasks(setup, 20)
    const { result } = await read(setup, 'tasks')
    expect(result).toMatchObject({ status: 'complete', read: 20, requests: 3 })
  })

  test('of a typical length that the service states, or of any other length, costs one request', async () => {
    const stated = await sandboxed()
    setTasks(stated, 100)
    expect((await read(stated, 'tasks')).result).toMatchObject({ status: 'complete', requests: 1 })
    const other = await sandboxed({ quirks: ['no-total-count'] })
    setTasks(other, 101)
    expect((await read(other, 'tasks')).result).toMatchObject({ status: 'complete', requests: 1 })
  })

  test('cut at 50 after longer ones were seen is still tested', async () => {
    const setup = await sandboxed({ quirks: ['tasks-cap=50'] })
    setup.client.findings.noteList('tasks.list', 80)
    setTasks(setup, 80)
    expect((await read(setup, 'tasks')).result).toMatchObject(drifted('possibly capped at 50'))
  })

  test('of 20 that are all of one type is doubted until the service gave a longer one', async () => {
    const setup = await sandboxed({ quirks: ['no-total-count'] })
    setTasks(setup, 20)
    setup.sandbox.store.change(setup.pid, ({ tasks }) => {
      for (const task of tasks) task.completed = 0
    })
    expect((await read(setup, 'tasks')).result).toMatchObject(drifted('possibly capped at 20'))
    setup.client.findings.noteList('tasks.list', 80)
    expect((await read(setup, 'tasks')).result).toMatchObject({ status: 'complete', read: 20 })
  })
})

describe('a checklist', () => {
  const withTodos = async (todos: number, stated: number) => {
    const setup = await sandboxed()
    setup.sandbox.store.change(setup.pid, ({ tasks: [task] }) => {
      if (task === undefined) throw new Error('there is no task')
      task.tid = 't1'
      task.todos = Array.from({ length: todos }, (_, n) => ({ todo_id: `d${n}`, name: '', checked: 0, pos: n }))
      task.badges.todo_count = stated
    })
    return await read(setup, 'tasks')
  }

  test('shorter than its task states is a conversion issue', async () => {
    const { result, sink } = await withTodos(3, 5)
    expect(result?.status).toBe('complete')
    expect(sink.losses).toEqual([{ recordKey: 't1', field: 'todos', kind: 'cut', original: '5' }])
  })

  test('cut at a typical length leaves the tasks incomplete', async () => {
    const { result } = await withTodos(20, 35)
    expect(result).toMatchObject(drifted('the checklist of task t1 is possibly capped at 20: its todo_count is 35'))
  })

  test('as long as its task states, or longer, is no issue', async () => {
    expect((await withTodos(5, 5)).sink.losses).toEqual([])
    expect((await withTodos(5, 4)).sink.losses).toEqual([])
  })
})

describe('a list of pages', () => {
  test('cut at 20 is not complete', async () => {
    const setup = await sandboxed({ pages: 45, quirks: ['pages-cap=20'] })
    expect((await read(setup, 'pages')).result?.error?.message).toMatch(/^possibly capped at 20/)
  })

  test('of 20 is whole where a doubtful one of 50 came before it', async () => {
    const setup = await sandboxed({ quirks: ['no-total-count'] })
    const readPages = async (count: number) => {
      setup.sandbox.store.change(setup.pid, ({ pages }) => {
        const [first] = pages
        if (first === undefined) throw new Error('there is no page to copy')
        const made = Array.from({ length: count }, (_, n) => ({ ...first, page_id: `g${n}`, parent_id: '' }))
        pages.splice(0, pages.length, ...made)
      })
      return (await read(setup, 'pages')).result
    }
    expect(await readPages(50)).toMatchObject(drifted('possibly capped at 50'))
    expect(await readPages(20)).toMatchObject({ status: 'complete', read: 20 })
  })

  test('of 20 is complete after a longer one, unless more of its pages are stored', async () => {
    const setup = await sandboxed({ quirks: ['no-total-count'] })
    setup.sandbox.store.change(setup.pid, ({ pages }) => {
      const [first] = pages
      if (first === undefined) throw new Error('there is no page to copy')
      const made = Array.from({ length: 20 }, (_, n) => ({ ...first, page_id: `g${n}`, parent_id: '' }))
      pages.splice(0, pages.length, ...made)
    })
    expect((await read(setup, 'pages')).result).toMatchObject(drifted('possibly capped at 20'))
    const earlier = { projects: 0, tasks: 0, pages: 21, webhooks: 0, post_comments: 0, file_comments: 0 }
    setup.client.findings.noteEarlierLists(earlier)
    expect((await read(setup, 'pages')).result?.status).toBe('complete')
    // one of the stored pages would go: the service may have begun to cut
    const stored = [{ list: 'pages', pid: setup.pid, id: null, length: 21 }] as const
    setup.client.findings.noteEarlierLists({ ...earlier, stored })
    expect((await read(setup, 'pages')).result).toMatchObject(drifted('possibly capped at 20: 21 are stored'))
  })

  test('without the parent of a page is a conversion issue, unless its length is stated', async () => {
    for (const quirks of [['no-total-count'], []]) {
      const setup = await sandboxed({ quirks })
      setup.sandbox.store.change(setup.pid, ({ pages }) => {
        const [first] = pages
        if (first === undefined) throw new Error('there is no page to change')
        pages.splice(0, pages.length, { ...first, page_id: 'g1', parent_id: 'gone' })
      })
      const { result, sink } = await read(setup, 'pages')
      expect(result?.status).toBe('complete')
      const issue = { recordKey: 'g1', field: 'parent_id', kind: 'unlisted', original: '"gone"' }
      expect(sink.losses).toEqual(quirks.length > 0 ? [issue] : [])
    }
  })
})

describe('a list of comments', () => {
  test('cut at 20 leaves its post named as not wholly read, with the comments that came', async () => {
    const setup = await sandboxed({ quirks: ['comments-cap=20'] })
    const { post_id: id } = setup.sandbox.store.truth(setup.pid).posts[0]?.post ?? { post_id: '' }
    setup.sandbox.store.change(setup.pid, ({ posts }) => {
      const [first] = posts.flatMap(({ comments }) => comments)
      const post = posts.find((one) => one.post.post_id === id)
      if (first === undefined || post === undefined) throw new Error('there is no comment to copy')
      post.comments = Array.from({ length: 35 }, (_, n) => ({ ...first, cid: `c${n}`, files: [], fids: [] }))
    })
    const { result, sink } = await read(setup, 'posts', {
      knownPosts: [{ id, source: 'known' }],
      followDiscovered: false,
    })
    const error = { code: 'POSSIBLY_CAPPED', message: 'comments possibly capped at 20' }
    expect(result).toMatchObject({ status: 'partial', unread: [{ id: `${id}/comments`, error }] })
    expect(sink.records('post_comment')).toHaveLength(20)
  })
})

test('the list of projects of a typical length that the service does not state is not complete', async () => {
  const { client } = await sandboxed({ projects: 20, barred: 0, quirks: ['no-total-count'] })
  expect((await listProjects(client)).result).toMatchObject(drifted('possibly capped at 20'))
  client.findings.noteList('projects.list', 21)
  expect((await listProjects(client)).result.status).toBe('complete')
})
