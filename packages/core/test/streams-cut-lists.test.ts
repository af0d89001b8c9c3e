import type { KnownRecords, ScopeResult, StreamName } from '@collab-etl/contract/streams'
import { describe, expect, test } from 'vitest'
import { listProjects, type ReadProjectOptions, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { first, sandboxed } from './helpers/sandbox.ts'
import { clientOf, json, serve } from './helpers/server.ts'

type Setup = Awaited<ReturnType<typeof sandboxed>>

/** As a warehouse without records: it records the bytes in which each is received. */
class NotingSink extends RecordingSink {
  async knownRecords(): Promise<KnownRecords> {
    return { find: () => -1, noteOf: () => 0 }
  }
}

const SINKS = [
  ['a sink', RecordingSink],
  ['a sink that notes bytes', NotingSink],
] as const

async function read(
  { client, pid }: Setup,
  stream: StreamName,
  options: ReadProjectOptions = {},
  sink = new RecordingSink(),
) {
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
    const task = first(tasks)
    const made = Array.from(
      { length: count },
      (_, n) => ({ ...task, tid: `t${n}`, completed: n % 2 === 0 ? 0 : 1 }) as const,
    )
    tasks.splice(0, tasks.length, ...made)
  })
}

describe('a list of tasks', () => {
  test.each(SINKS)('of 60 that is cut at 20 is not complete, and its parts are emitted to %s', async (_, Sink) => {
    const setup = await sandboxed({ quirks: ['tasks-cap=20'] })
    setTasks(setup, 60)
    const { result, sink } = await read(setup, 'tasks', {}, new Sink())
    expect(result).toMatchObject(drifted('possibly capped at 20'))
    const emitted = sink.records('task').map(({ tid }) => tid)
    expect(emitted).toHaveLength(40)
    expect(new Set(emitted).size).toBe(40)
  })

  test.each(SINKS)('that is cut only when it is requested again is not complete for %s', async (_, Sink) => {
    const setup = await sandboxed({}, { retries: 1 })
    const { sandbox } = setup
    setTasks(setup, 60)
    sandbox.faults.add({ kind: 'truncate_chunked', after: 0.9, operation: 'tasks.list', times: 1 })
    let requests = 0
    sandbox.beforeRequest(({ operation }) => {
      if (operation === 'tasks.list' && ++requests === 2) sandbox.setQuirks(['tasks-cap=20'])
    })
    const { result } = await read(setup, 'tasks', {}, new Sink())
    expect(result).toMatchObject(drifted('possibly capped at 20'))
  })

  test.each(SINKS)('of 20 is whole for %s where both its parts are shorter', async (_, Sink) => {
    const setup = await sandboxed()
    setTasks(setup, 20)
    const { result } = await read(setup, 'tasks', {}, new Sink())
    expect(result).toMatchObject({ status: 'complete', read: 20, requests: 3 })
    expect(result?.suspicious).toBeUndefined()
  })

  test('of a typical length that the service states, or of any other length, costs one request', async () => {
    const stated = await sandboxed({ totalCount: true })
    setTasks(stated, 100)
    expect((await read(stated, 'tasks')).result).toMatchObject({ status: 'complete', requests: 1 })
    const other = await sandboxed()
    setTasks(other, 101)
    expect((await read(other, 'tasks')).result).toMatchObject({ status: 'complete', requests: 1 })
  })

  test('of 20 that are all of one type is complete, and suspicious', async () => {
    const setup = await sandboxed()
    setTasks(setup, 20)
    setup.sandbox.store.change(setup.pid, ({ tasks }) => {
      for (const task of tasks) task.completed = 0
    })
    expect((await read(setup, 'tasks')).result).toMatchObject({ status: 'complete', suspicious: { length: 20 } })
  })
})

describe('a checklist', () => {
  const withTodos = async (todos: number, stated: number) => {
    const setup = await sandboxed()
    setup.sandbox.store.change(setup.pid, ({ tasks }) => {
      const task = first(tasks)
      task.tid = 't1'
      task.todos = Array.from({ length: todos }, (_, n) => ({ todo_id: `d${n}`, name: '', checked: 0, pos: n }))
      task.badges.todo_count = stated
    })
    return await read(setup, 'tasks')
  }

  test.each([
    [3, 5],
    [20, 35],
  ])('of %i that is shorter than its task states is a conversion issue', async (todos, stated) => {
    const { result, sink } = await withTodos(todos, stated)
    expect(result?.status).toBe('complete')
    expect(sink.losses).toEqual([{ recordKey: 't1', field: 'todos', kind: 'cut', original: String(stated) }])
  })

  test('as long as its task states, or longer, is no issue', async () => {
    expect((await withTodos(5, 5)).sink.losses).toEqual([])
    expect((await withTodos(5, 4)).sink.losses).toEqual([])
  })
})

describe('a list of pages', () => {
  const withPages = async (count: number, parent: string, totalCount: boolean) => {
    const setup = await sandboxed({ totalCount })
    setup.sandbox.store.change(setup.pid, ({ pages }) => {
      const page = first(pages)
      const parentOf = (n: number) => (n === 0 ? parent : '')
      const made = Array.from({ length: count }, (_, n) => ({ ...page, page_id: `g${n}`, parent_id: parentOf(n) }))
      pages.splice(0, pages.length, ...made)
    })
    return await read(setup, 'pages')
  }

  test('of 20 is complete and suspicious, and says which parents it lacks', async () => {
    const suspicion = async (...of: Parameters<typeof withPages>) => (await withPages(...of)).result?.suspicious
    expect(await suspicion(20, '', false)).toMatchObject({ length: 20, named: [] })
    expect(await suspicion(20, 'gone', false)).toMatchObject({ named: ['gone'] })
    expect(await suspicion(21, 'gone', false)).toBeUndefined()
    expect(await suspicion(20, 'gone', true)).toBeUndefined()
  })

  test.each([true, false])(
    'without the parent of a page is an issue, unless its length is stated: %s',
    async (stated) => {
      const { result, sink } = await withPages(1, 'gone', stated)
      expect(result?.status).toBe('complete')
      const issue = { recordKey: 'g0', field: 'parent_id', kind: 'unlisted', original: '"gone"' }
      expect(sink.losses).toEqual(stated ? [] : [issue])
    },
  )
})

test('a list of 20 comments is suspicious, and names its post', async () => {
  const setup = await sandboxed({ quirks: ['comments-cap=20'] })
  const id = first(setup.sandbox.store.truth(setup.pid).posts).post.post_id
  setup.sandbox.store.change(setup.pid, ({ posts }) => {
    const comment = first(posts.flatMap(({ comments }) => comments))
    const made = Array.from({ length: 35 }, (_, n) => ({ ...comment, cid: `c${n}`, files: [], fids: [] }))
    for (const one of posts) if (one.post.post_id === id) one.comments = made
  })
  const options = { knownPosts: [{ id, source: 'known' }], followDiscovered: false }
  const { result, sink } = await read(setup, 'posts', options)
  const parents = [{ id, source: 'known', length: 20 }]
  expect(result).toMatchObject({ status: 'complete', suspicious: { length: 20, parents } })
  expect(sink.records('post_comment')).toHaveLength(20)
})

describe('events at one time', () => {
  const withEvents = async (quirks: string[], ...starts: number[]) => {
    const setup = await sandboxed({ quirks })
    setup.sandbox.store.change(setup.pid, (project) => {
      const { event } = first(project.events)
      project.events = starts.map((start, n) => {
        const time = new Date(start).toISOString()
        return { event: { ...event, event_id: `e${n}`, recurrence: 0, start: time, end: time }, comments: [] }
      })
    })
    return (await read(setup, 'events')).result
  }
  const at = Date.UTC(2025, 0, 1)

  test('of which there are 20 are complete and suspicious', async () => {
    const result = await withEvents([], ...Array(20).fill(at))
    expect(result).toMatchObject({ status: 'complete', suspicious: { length: 20 } })
    const [range] = result?.suspicious?.ranges ?? []
    for (const time of [range?.from, range?.to]) expect(Math.abs(Number(time) - at)).toBeLessThan(10)
  })

  test('are not complete if longer answers were cut at their number', async () => {
    const others = Array.from({ length: 60 }, (_, n) => at + (n + 1) * 86_400_000)
    const result = await withEvents(['events-cap=20'], ...Array(20).fill(at), ...others)
    expect(result).toMatchObject(drifted('possibly capped at 20'))
  })
})

test('a list of archived tasks whose end the service does not show is complete and suspicious', async () => {
  const setup = await sandboxed({ projects: 1, archived: 200 })
  setup.sandbox.beforeRequest(({ operation, params }) => {
    if (operation !== 'tasks.archived.list' || Number(params['size']) === 100) return
    setup.sandbox.faults.add({ kind: 'error', errorCode: 600027, operation, times: 1 })
  })
  const { result } = await read(setup, 'archived_tasks')
  expect(result).toMatchObject({ status: 'complete', read: 200, suspicious: { length: 200 } })
})

test('a list of 20 projects is complete and suspicious', async () => {
  const { client } = await sandboxed({ projects: 20, barred: 0 })
  expect((await listProjects(client)).result).toMatchObject({ status: 'complete', suspicious: { length: 20 } })
})

test('events of one time are cut if the service states more; else they are suspicious', async () => {
  const start = new Date(Date.UTC(2025, 0, 1)).toISOString()
  const project = { pid: 'p', name: '', pic: '', bg: '' }
  const all = Array.from({ length: 25 }, (_, n) => {
    return { event_id: `e${n}`, name: '', summary: '', start, end: start, recurrence: 0, attendees: [], project }
  })
  const readCut = async (cap: number, states: boolean) => {
    const server = await serve((response, { url, body }) => {
      const sent = new URLSearchParams(url.split('?')[1] ?? body)
      const isIn = Number(sent.get('start')) <= Date.parse(start) && Date.parse(start) <= Number(sent.get('end'))
      if (states) response.setHeader('X-Total-Count', isIn ? all.length : 0)
      return json(response, isIn ? all.slice(0, cap) : [])
    })
    const streams = new Set(['events'] as const)
    const client = clientOf(server, { retries: 0 })
    const [result] = await readProject(client, { pid: 'p', listed: null }, { streams }, new RecordingSink())
    return result
  }
  for (const cap of [20, 24]) expect(await readCut(cap, true)).toMatchObject(drifted(`possibly capped at ${cap}`))
  expect(await readCut(20, false)).toMatchObject({ status: 'complete', suspicious: { length: 20 } })
})
