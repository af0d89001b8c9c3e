/** @module-tag thorough */

import type { Started } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import type { RequestHook } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { migratedDatabase } from './databases.ts'
import { type Fixture, fixture, fixtureInTurn } from './support.ts'

type Signal = 'SIGKILL' | 'SIGINT'

/** In-process reading, and reading by a worker, of one project after the other. */
const ALONE = ['snapshot', '--json', '--concurrency', '1']
const BY_WORKERS = ['snapshot', '--json', '--concurrency', '1', '--workers', '1']

async function onPostgres(): Promise<Fixture> {
  const { url, drop } = await migratedDatabase(postgresServer() ?? '')
  const made = await fixture({ databaseUrl: url })
  return {
    ...made,
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]()
      await drop()
    },
  }
}

/** Runs a snapshot that gets a signal at the first request that `is` true for, then another with `--resume`. */
async function killAndResume(
  { sandbox, extract }: Fixture,
  {
    args,
    signal,
    is,
  }: { args: readonly string[]; signal: Signal; is: (request: Parameters<RequestHook>[0]) => boolean },
  meanwhile: () => Promise<unknown> = async () => {},
) {
  let command: Started | undefined
  let isKilled = false
  const stop = sandbox.beforeRequest((request) => {
    if (isKilled || !is(request)) return
    isKilled = true
    command?.kill(signal)
  })
  const killed = await extract(args, { onStart: (started) => (command = started) })
  stop()
  expect(killed).toMatchObject(signal === 'SIGKILL' ? { signal } : { code: 130 })
  await meanwhile()
  sandbox.clearRequests()
  const resumed = await extract([...args, '--resume'])
  expect([0, 3], resumed.stderr).toContain(resumed.code)
  return { code: resumed.code, ...JSON.parse(resumed.stdout) }
}

/** The projects in the order in which they are read. */
const inOrder = ({ sandbox }: Fixture): [first: string, second: string, third: string] => {
  const [first = '', second = '', third = ''] = sandbox.pids
  return [first, second, third]
}

/** A user whom only the first project shows is renamed after a first snapshot. */
async function renameInFirst(at: Fixture): Promise<void> {
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

const nameOf = async (at: Fixture) =>
  (await at.query("SELECT name FROM collab.users WHERE uid = 'u-first'")).map(({ name }) => name)

/** Adds a page to one project that names a post of another, which nothing else names. Returns the id of the post. */
function linkPost({ sandbox }: Fixture, from: string, to: string): string {
  const [id = ''] = sandbox.store.project(to).unlinked_posts
  expect(id).not.toBe('')
  sandbox.store.change(from, ({ pages }) => {
    if (pages[0]) pages[0].content += `\n\n[plan](${sandbox.baseUrl}/project/${to}/post/${id})`
  })
  return id
}

const postsOf = async (at: Fixture, id: string) =>
  (await at.query(`SELECT post_id FROM collab.posts WHERE post_id = '${id}' AND deleted_at IS NULL`)).length

const ofProject = (pid: string, operation: string) => (request: Parameters<RequestHook>[0]) =>
  request.operation === operation && request.params['pid'] === pid

const ofPost = (id: string) => (request: Parameters<RequestHook>[0]) =>
  request.operation === 'posts.get' && request.params['post_id'] === id

describe('a snapshot that was killed and resumed', () => {
  test.each<Signal>(['SIGKILL', 'SIGINT'])(
    '%s: users renamed in a published project have their new names',
    async (signal) => {
      await using at = await fixtureInTurn()
      await renameInFirst(at)
      const [, second] = inOrder(at)
      const is = ofProject(second, 'pages.list')
      const { code } = await killAndResume(at, { args: ALONE, signal, is }, () =>
        at.extract(['compare', '--project', second]),
      )
      expect([code, await nameOf(at)]).toEqual([0, ['After']])
    },
  )

  test('streams that the token lost before the kill are reported', async () => {
    await using at = await fixtureInTurn()
    const [first, second] = inOrder(at)
    expect((await at.extract(['snapshot'])).code).toBe(0)
    at.sandbox.setQuirks(['forbidden-webhooks'])
    const is = ofProject(second, 'pages.list')
    const resumed = await killAndResume(at, { args: ALONE, signal: 'SIGKILL', is })
    expect(resumed).toMatchObject({ code: 3, status: 'partial' })
    expect(resumed.not_whole).toContainEqual(expect.objectContaining({ pid: first, stream: 'webhooks' }))
    expect(JSON.parse((await at.extract(ALONE)).stdout)).toMatchObject({ status: 'succeeded' })
  })
})

test('a resumed run that is interrupted while listing projects keeps what is published', async () => {
  await using at = await fixtureInTurn()
  const [first, second, third] = inOrder(at)
  const lists = ({ operation }: Parameters<RequestHook>[0]) => operation === 'projects.list'
  const interruptListing = () => {
    let command: Started | undefined
    const stop = at.sandbox.beforeRequest((request) => {
      if (lists(request)) command?.kill('SIGINT')
    })
    return at.extract([...ALONE, '--resume'], { onStart: (started) => (command = started) }).finally(stop)
  }
  const is = ofProject(third, 'pages.list')
  const { code, scopes } = await killAndResume(at, { args: ALONE, signal: 'SIGKILL', is }, async () => {
    for (let time = 0; time < 2; time++) expect((await interruptListing()).code).toBe(130)
  })
  const skipped = scopes.filter(({ status }: { status: string }) => status === 'skipped')
  expect([code, new Set(skipped.map(({ pid }: { pid: string }) => pid))]).toEqual([0, new Set([first, second])])
})

const BY_WORKERS_TOO: [Signal, args: readonly string[]][] = [
  ['SIGINT', BY_WORKERS],
  ['SIGKILL', BY_WORKERS],
]

test.each<[Signal, args: readonly string[]]>([
  ['SIGKILL', ALONE],
  ...(postgresServer() === null ? [] : BY_WORKERS_TOO),
])('%s in the follow-up round of %j: users and posts are as after a whole run', async (signal, args) => {
  await using at = await (args === ALONE ? fixtureInTurn() : onPostgres())
  await renameInFirst(at)
  const [first, second] = inOrder(at)
  const id = linkPost(at, second, first)
  const { code, posts } = await killAndResume(at, { args, signal, is: ofPost(id) })
  expect([code, await nameOf(at), await postsOf(at, id)]).toEqual([0, ['After'], 1])
  // a process that resumes counts what it reads itself; workers count for the whole run
  if (args === ALONE) expect(posts).toMatchObject({ known: 1, read: 1 })
})
