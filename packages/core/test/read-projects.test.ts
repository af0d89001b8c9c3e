import { type ScopeResult, STREAMS } from '@collab-etl/contract/streams'
import { startSandbox } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import {
  chooseProjects,
  createClient,
  DiscoveredIds,
  LaterItems,
  type LaterItemsData,
  type PlannedReading,
  type ProjectReading,
  readPlanned,
  readProjects,
  type SharedSchedule,
} from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

const unlisted = (pid: string) => ({ pid, listed: null })

/** Sinks in the order in which they are opened, and how each reading ended. */
function recording() {
  const readings: { reading: ProjectReading; sink: RecordingSink; ended?: 'finished' | 'discarded' }[] = []
  const openSink = (reading: ProjectReading) => {
    const sink = new RecordingSink()
    const one: (typeof readings)[number] = { reading, sink }
    readings.push(one)
    return {
      sink,
      finish: async () => {
        one.ended = 'finished'
      },
      discard: async () => {
        one.ended = 'discarded'
      },
    }
  }
  return { readings, openSink }
}

/** Two projects, of which the second names a post of the first that the first itself does not name. */
async function twoProjects() {
  const { sandbox, client } = await sandboxed({ projects: 4 })
  const [first = '', second = ''] = sandbox.pids
  const [post = ''] = sandbox.store.truth(first).unlinked_posts
  sandbox.store.change(second, ({ pages: [page] }) => {
    if (page) page.content = `https://host/project/${first}/post/${post}`
  })
  return { sandbox, client, first, second, post, projects: [first, second].map(unlisted) }
}

/** A budget that clients share, as the database keeps it. */
function sharedBudget(maxRequests: number): SharedSchedule {
  let used = 0
  const left = () => ({ left: maxRequests - used, used, leftMs: Infinity, passedMs: 1 })
  return {
    reserve: async (count, paid = 0) => {
      const granted = paid + Math.min(count - paid, maxRequests - used)
      used += granted - paid
      const budget = { ...left(), granted }
      return { nowMs: performance.now(), firstMs: 0, intervalMs: 0, pausedMs: 0, budget }
    },
    pause: async () => {},
    budgetLeft: async () => left(),
  }
}

describe('a request budget', () => {
  test.each([
    ['of one process', false],
    ['that processes share', true],
  ])('%s is spent on all lists first, then on the items read longest ago', async (_, isShared) => {
    const sandbox = await startSandbox({ projects: 4, posts: 40 })
    const ids = sandbox.pids.flatMap((pid) =>
      sandbox.store.truth(pid).posts.map(({ post }, nth) => ({ pid, id: post.post_id, readAt: new Date(1e12 + nth) })),
    )
    const streams = new Set(['tasks', 'posts'] as const)
    const known = (pid: string) =>
      ids.filter((known) => known.pid === pid).map((known) => ({ ...known, source: 'flag' }))
    const prepare = async ({ project: { pid } }: ProjectReading) => ({
      knownPosts: known(pid),
      followDiscovered: false,
      recentSince: new Map([['posts' as const, new Date(0)]]),
    })
    const { baseUrl, token } = sandbox
    const limit = isShared ? { schedule: sharedBudget(30) } : { maxRequests: 30 }
    const client = createClient({ baseUrl, token, ...limit })
    const workers = [createClient({ baseUrl, token, ...limit }), createClient({ baseUrl, token, ...limit })]
    try {
      const { openSink, readings } = recording()
      const found = new DiscoveredIds()
      const of = { openSink, prepare, ids: found, read: { streams } }
      const readRound = async (round: readonly PlannedReading[]) => {
        const left = new Map<string, LaterItemsData>()
        for (const [index, planned] of round.entries()) {
          const task: PlannedReading = JSON.parse(JSON.stringify(planned))
          const later = new LaterItems()
          await readPlanned(workers[index % 2] ?? client, task, { ...of, later })
          left.set(task.project.pid, JSON.parse(JSON.stringify(later)))
        }
        return left
      }
      await readProjects(client, sandbox.pids.map(unlisted), { ...of, ...(isShared && { readRound }) })
      const sent = sandbox.requests.map(({ operation }) => operation)
      expect(sent.length).toBeLessThanOrEqual(30)
      expect(sent.lastIndexOf('tasks.list')).toBeLessThan(sent.indexOf('posts.get'))
      const results = readings.flatMap(({ sink }) => sink.results).filter(({ scope }) => scope.stream === 'posts')
      const totals = found.totals('post', new Set(sandbox.pids))
      expect(totals.read + totals.carried).toBe(ids.length)
      expect(totals.read).toBeGreaterThan(5)
      expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['complete', 'carried']))
    } finally {
      for (const each of [client, ...workers]) await each.close()
      await sandbox.close()
    }
  })

  test('takes the same items again after a reading of them that was lost', async () => {
    const { sandbox, client: unlimited, projects } = await twoProjects()
    const client = createClient({ baseUrl: sandbox.baseUrl, token: sandbox.token, maxRequests: 1000 })
    const postsOf = async (read: typeof client, losses: number) => {
      const { readings, openSink } = recording()
      const losing = (reading: ProjectReading) => {
        const opened = openSink(reading)
        const isLost = reading.isFollowUp && losses-- > 0
        return isLost ? { ...opened, finish: () => Promise.reject(new Error('lost')) } : opened
      }
      await readProjects(read, projects, { openSink: losing, readsAgain: async () => true })
      const kept = readings.filter(({ ended }) => ended === 'finished')
      return kept.flatMap(({ sink }) => sink.records('post').map(({ post_id: id }) => id)).toSorted()
    }
    const posts = await postsOf(unlimited, 0)
    expect(posts.length).toBeGreaterThan(2)
    expect(await postsOf(client, 3)).toEqual(posts)
    await client.close()
  })

  test('in time ends the reading, and carries what was read recently', async () => {
    const sandbox = await startSandbox({ projects: 4, latencyMs: 150 })
    const { baseUrl, token } = sandbox
    const client = createClient({ baseUrl, token, concurrency: 1, maxDurationMs: 500 })
    try {
      const { openSink, readings } = recording()
      const now = new Date()
      const read = {
        lastReadings: new Map(STREAMS.map((stream) => [stream, now])),
        recentSince: new Map(STREAMS.map((stream) => [stream, new Date(0)])),
      }
      await readProjects(client, sandbox.pids.map(unlisted), { openSink, read })
      const lists = readings
        .flatMap(({ sink }) => sink.results)
        .filter(({ scope }) => !/posts|files/.test(scope.stream))
      expect(lists.filter(({ status }) => status === 'carried')).not.toEqual([])
      expect(lists.filter(({ status }) => status !== 'carried' && status !== 'complete')).toEqual([])
      for (const { sink } of readings) expect(sink.results.length).toBeGreaterThan(0)
    } finally {
      await client.close()
      await sandbox.close()
    }
  })
})

describe('follow-up rounds', () => {
  test('read a post that another project named, into a new sink, once', async () => {
    const { sandbox, client, first, post, projects } = await twoProjects()
    const { readings, openSink } = recording()
    const ids = new DiscoveredIds()
    await readProjects(client, projects, { openSink, ids, read: { streams: new Set(['pages', 'posts']) } })
    const followUps = readings.filter(({ reading }) => reading.isFollowUp)
    expect(followUps.map(({ reading }) => reading.project.pid)).toEqual([first])
    expect(followUps[0]?.sink.records('post').map(({ post_id: id }) => id)).toContain(post)
    expect(followUps[0]?.sink.results.map(({ scope }) => scope.stream)).toEqual(['posts'])
    expect(requestsFor(sandbox, 'posts.get').filter((path) => path.includes(post))).toHaveLength(1)
    expect(readings.map(({ ended }) => ended)).toEqual(readings.map(() => 'finished'))
    expect(ids.totals('post', new Set([first])).notFound).toBe(0)
  })

  test.each([
    ['`followDiscovered` is false', { read: { followDiscovered: false } }],
    ['`mayFollowUp` forbids it', { mayFollowUp: () => false }],
    ['posts are not read', { read: { streams: new Set(['pages'] as const) } }],
  ])('do not begin if %s', async (_, options) => {
    const { client, projects } = await twoProjects()
    const { readings, openSink } = recording()
    await readProjects(client, projects, { openSink, ...options })
    expect(readings.filter(({ reading }) => reading.isFollowUp)).toEqual([])
  })

  test.each([undefined, 1000])(
    'read what others name of a project that was skipped, with a budget of %s requests',
    async (maxRequests) => {
      const { sandbox, first, post, projects } = await twoProjects()
      const client = createClient({ baseUrl: sandbox.baseUrl, token: sandbox.token, maxRequests })
      const { readings, openSink } = recording()
      const prepare = async ({ project: { pid }, isFollowUp }: ProjectReading) =>
        pid === first && !isFollowUp ? null : {}
      await readProjects(client, projects, { openSink, prepare, mayFollowUp: () => true })
      await client.close()
      const ofFirst = readings.filter(({ reading }) => reading.project.pid === first)
      expect(ofFirst.map(({ reading, sink }) => [reading.isFollowUp, sink.statuses['posts']])).toEqual([
        [true, 'complete'],
      ])
      expect(ofFirst[0]?.sink.records('post').map(({ post_id: id }) => id)).toEqual([post])
    },
  )

  test('leave out a project that is not read, and one that does not exist', async () => {
    const { client, first, projects, sandbox } = await twoProjects()
    const { readings, openSink } = recording()
    const prepare = async ({ project: { pid } }: ProjectReading) => (pid === first ? null : {})
    await readProjects(client, projects, { openSink, prepare })
    expect(readings.map(({ reading }) => reading.project.pid)).not.toContain(first)

    sandbox.faults.add({ kind: 'error', errorCode: 400004, operation: 'projects.get', where: { pid: first }, times: 2 })
    await readProjects(client, projects, { openSink })
    expect(readings.filter(({ reading }) => reading.isFollowUp)).toEqual([])
  })
})

describe('cancellation', () => {
  test('the first failing sink aborts and discards the other readings; its error is thrown', async () => {
    const { client, projects, first } = await twoProjects()
    const { readings, openSink } = recording()
    const failing = (reading: ProjectReading) => {
      const opened = openSink(reading)
      const end = async (result: ScopeResult) => {
        if (reading.project.pid === first) throw new Error('the disk is full')
        // The other project ends after the first one failed.
        await new Promise((resolve) => reading.signal.addEventListener('abort', resolve, { once: true }))
        throw new Error(`aborted: ${result.scope.stream}`)
      }
      Object.assign(opened.sink, { end })
      return opened
    }
    await expect(readProjects(client, projects, { openSink: failing })).rejects.toThrow('the disk is full')
    expect(readings.map(({ ended }) => ended)).toEqual(['discarded', 'discarded'])
  })

  test('an abort from outside is thrown, and projects that were not begun are not read', async () => {
    const { client, projects } = await twoProjects()
    const stop = new AbortController()
    const { readings, openSink } = recording()
    const prepare = async () => {
      stop.abort(new Error('stopped'))
      return null
    }
    const reading = readProjects(client, projects, { openSink, prepare, projectsAtOnce: 1, signal: stop.signal })
    await expect(reading).rejects.toThrow('stopped')
    expect(readings).toEqual([])
  })
})

describe('the choice of projects', () => {
  const listed = ['a', 'b', 'c'].map(unlisted)

  test('is all that are listed, or the named ones in the order of the list, then the missing ones', () => {
    expect(chooseProjects(listed, null).map(({ pid }) => pid)).toEqual(['a', 'b', 'c'])
    expect(chooseProjects(listed, ['x', 'c', 'a', 'c']).map(({ pid }) => pid)).toEqual(['a', 'c', 'x'])
    expect(chooseProjects(listed, ['x']).map(({ listed: entry }) => entry)).toEqual([null])
  })
})
