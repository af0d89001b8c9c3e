/** @module-tag thorough */

import type { Ran, Started } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import type { RequestHook } from '@collab-etl/sandbox'
import { describe, expect } from 'vitest'
import { onPostgres, openWorld, plainLines, type World } from './world.ts'

type Signal = 'SIGKILL' | 'SIGINT' | 'SIGTERM'

/** In-process reading, and reading by a worker, of one project after the other. */
const ALONE = ['snapshot', '--concurrency', '1']
const BY_WORKERS = ['snapshot', '--concurrency', '1', '--workers', '1']

type Is = (request: Parameters<RequestHook>[0]) => boolean

/** Runs a snapshot that gets a signal at the first request that `is` true for. */
async function killed({ sandbox, extract }: World, args: readonly string[], signal: Signal, is: Is): Promise<Ran> {
  let command: Started | undefined
  let isKilled = false
  const stop = sandbox.beforeRequest((request) => {
    if (isKilled || !is(request)) return
    isKilled = true
    command?.kill(signal)
  })
  const ran = await extract(args, { onStart: (started) => (command = started) })
  stop()
  return ran
}

/** The same, then another with `--resume`. */
async function killAndResume(
  at: World,
  { args, signal, is }: { args: readonly string[]; signal: Signal; is: Is },
  meanwhile: () => Promise<unknown> = async () => {},
) {
  expect(await killed(at, args, signal, is)).toMatchObject(signal === 'SIGKILL' ? { signal } : { code: 130 })
  await meanwhile()
  return await at.json(...args, '--resume')
}

/** The projects in the order in which they are read. */
const inOrder = ({ sandbox }: World): [first: string, second: string, third: string] => {
  const [first = '', second = '', third = ''] = sandbox.pids
  return [first, second, third]
}

/** A user whom only the first project shows is renamed after a first snapshot. */
async function renameInFirst(at: World): Promise<void> {
  const [first] = inOrder(at)
  const owner = {
    uid: 'u-first',
    name: 'Before',
    display_name: 'u',
    avatar: 'a.png',
    desc: '',
    status: 1,
    online: 0,
  } as const
  const rename = (name: string) =>
    at.sandbox.store.change(first, ({ pages }) => {
      if (pages[0]) pages[0].owner = { ...owner, name }
    })
  rename('Before')
  expect((await at.extract(['snapshot'])).code).toBe(0)
  rename('After')
}

const nameOf = async (at: World) =>
  (await at.query("SELECT name FROM collab.users WHERE uid = 'u-first'")).map(({ name }) => name)

/** Adds a page to one project that names a post of another, which nothing else names. Returns the id of the post. */
function linkPost({ sandbox }: World, from: string, to: string): string {
  const [id = ''] = sandbox.store.project(to).unlinked_posts
  expect(id).not.toBe('')
  sandbox.store.change(from, ({ pages }) => {
    if (pages[0]) pages[0].content += `\n\n[plan](${sandbox.baseUrl}/project/${to}/post/${id})`
  })
  return id
}

const postsOf = async (at: World, id: string) =>
  (await at.query(`SELECT post_id FROM collab.posts WHERE post_id = '${id}' AND deleted_at IS NULL`)).length

const ofProject =
  (pid: string, operation: string): Is =>
  (request) =>
    request.operation === operation && request.params['pid'] === pid

const ofPost =
  (id: string): Is =>
  (request) =>
    request.operation === 'posts.get' && request.params['post_id'] === id

describe('a snapshot that was killed and resumed', () => {
  testEveryNth(['SIGKILL', 'SIGINT'] as const, 2)(
    '%s: users renamed in a published project have their new names',
    async (signal) => {
      await using at = await openWorld()
      await renameInFirst(at)
      const [, second] = inOrder(at)
      const is = ofProject(second, 'pages.list')
      const { code } = await killAndResume(at, { args: ALONE, signal, is }, () =>
        at.extract(['compare', '--project', second]),
      )
      expect([code, await nameOf(at)]).toEqual([0, ['After']])
    },
  )

  testThoroughly('streams that the token lost before the kill are reported', async () => {
    await using at = await openWorld()
    const [first, second] = inOrder(at)
    expect((await at.extract(['snapshot'])).code).toBe(0)
    at.sandbox.setQuirks(['forbidden-webhooks'])
    const is = ofProject(second, 'pages.list')
    const resumed = await killAndResume(at, { args: ALONE, signal: 'SIGKILL', is })
    expect(resumed).toMatchObject({ code: 3, status: 'partial' })
    expect(resumed.not_whole).toContainEqual(expect.objectContaining({ pid: first, stream: 'webhooks' }))
    expect(await at.snapshot()).toMatchObject({ status: 'succeeded' })
  })
})

testThoroughly('a resumed run that is interrupted while listing projects keeps what is published', async () => {
  await using at = await openWorld()
  const [first, second, third] = inOrder(at)
  const is = ofProject(third, 'pages.list')
  const { code, scopes } = await killAndResume(at, { args: ALONE, signal: 'SIGKILL', is }, async () => {
    for (let time = 0; time < 2; time++) {
      const again = await killed(at, [...ALONE, '--resume'], 'SIGINT', ({ operation }) => operation === 'projects.list')
      expect(again.code).toBe(130)
    }
  })
  const skipped = scopes.filter(({ status }: { status: string }) => status === 'skipped')
  expect([code, new Set(skipped.map(({ pid }: { pid: string }) => pid))]).toEqual([0, new Set([first, second])])
})

async function killInFollowUp(at: World, signal: Signal, args: readonly string[]) {
  await renameInFirst(at)
  const [first, second] = inOrder(at)
  const id = linkPost(at, second, first)
  const { code, posts } = await killAndResume(at, { args, signal, is: ofPost(id) })
  expect([code, await nameOf(at), await postsOf(at, id)]).toEqual([0, ['After'], 1])
  return posts
}

testThoroughly('SIGKILL in the follow-up round: users and posts are as after an uninterrupted run', async () => {
  await using at = await openWorld()
  expect(await killInFollowUp(at, 'SIGKILL', ALONE)).toMatchObject({ known: 1, read: 1 })
})

if (postgresServer() !== null)
  for (const signal of ['SIGINT', 'SIGKILL'] as const)
    testThoroughly(`${signal} in the follow-up round of a run by workers: the same`, async () => {
      await using at = await openWorld({}, onPostgres)
      await killInFollowUp(at, signal, BY_WORKERS)
    })

testEveryNth(
  [
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const,
  2,
)('$signal: exit $code; finished projects are kept, and --resume reads the rest', async ({ signal, code }) => {
  await using at = await openWorld({ projects: 6 })
  let asked = 0
  // the third project's pages are requested: two projects are published, none after them
  const ran = await killed(at, [...ALONE, '--json'], signal, ({ operation }) => {
    return operation === 'pages.list' && ++asked === 3
  })
  expect(ran.code).toBe(code)
  expect(plainLines(ran.stderr)).toEqual([
    expect.stringContaining(`${signal} received`),
    `collab-extract: interrupted by ${signal}`,
  ])
  const interrupted = JSON.parse(ran.stdout)
  expect(interrupted).toMatchObject({ status: 'interrupted', projects: { complete: 2, failed: 0 } })
  expect(await at.rows('SELECT status FROM collab.runs')).toEqual([['interrupted']])

  const resumed = await at.snapshot('--resume')
  expect(resumed).toMatchObject({ code: 0, status: 'succeeded', resumed_run_id: interrupted.run_id })
  const skipped = resumed.scopes.filter(({ error }: { error: { code: string } | null }) => error?.code === 'RESUMED')
  const pids = new Set(skipped.map(({ pid: project }: { pid: string }) => project))
  expect(pids.size).toBe(2)
  const lists = at.sandbox.requests.filter(({ operation }) => operation === 'tasks.list').map(({ path }) => path)
  expect(lists.filter((path) => [...pids].some((project) => path.includes(`pid=${project}`)))).toEqual([])
  const [[stored] = []] = await at.rows('SELECT count(*)::int FROM collab.projects WHERE deleted_at IS NULL')
  expect(stored).toBe(resumed.projects.total - resumed.projects.skipped + pids.size)
})

testThoroughly('there is nothing to resume after a run that ended by itself: everything is read', async () => {
  await using at = await openWorld()
  await at.extract(['snapshot'])
  const { stdout, stderr } = await at.extract(['snapshot', '--json', '--resume'])
  expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', resumed_run_id: null })
  expect(stderr).toContain('no interrupted run to resume')
})
