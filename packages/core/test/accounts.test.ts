import { describe, expect, test } from 'vitest'
import {
  archivedTasks,
  findUnlisted,
  isAccountError,
  isApiError,
  isAuthError,
  isNotFound,
  listProjects,
  readProject,
} from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { clientOf, errorBody, json, rejection } from './helpers/server.ts'
import { NOT_FOUND, REFUSED, serviceOf, userOf } from './helpers/users.ts'

describe('who is asked', () => {
  test('each project is read by the account with the highest permission, ties by order', async () => {
    const { open, whoAsked } = await serviceOf({ anna: { p: 7, q: 15 }, ben: { p: 31, q: 15, r: 5 }, carl: { q: 7 } })
    const client = open(['anna', 'ben', 'carl'])
    const { projects, byAccount, result, failed } = await listProjects(client)
    expect(projects.map(({ pid, listed }) => [pid, listed?.permission])).toEqual([
      ['p', 31],
      ['q', 15],
      ['r', 5],
    ])
    expect([...byAccount].map(([name, list]) => [name, list.length])).toEqual([
      ['anna', 2],
      ['ben', 3],
      ['carl', 1],
    ])
    expect([result.status, failed.size]).toEqual(['complete', 0])
    for (const { pid } of projects) await client.tasks.list({ pid, type: 'all' })
    expect(whoAsked('/v1/tasks')).toEqual(['ben', 'anna', 'ben'])
    expect([...client.accounts.readers]).toEqual([
      ['p', 'ben'],
      ['q', 'anna'],
      ['r', 'ben'],
    ])
    expect([client.accounts.requestsOf('ben'), client.stats.requests]).toEqual([3, 6])
  })

  test('a call that names an account asks that one alone', async () => {
    const { open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: {} })
    const client = open(['anna', 'ben'])
    expect(isNotFound(await rejection(client.projects.get({ pid: 'p' }, { account: 'ben' })))).toBe(true)
    expect(whoAsked('/v1/projects/p')).toEqual(['ben'])
  })

  test('a call that changes something needs a name among several accounts, and never fails over', async () => {
    const { open, server } = await serviceOf({ anna: { p: 31 }, ben: {} })
    const client = open(['anna', 'ben'])
    const given = { pid: 'p', wid: 'w' }
    expect(String(await rejection(client.webhooks.delete(given)))).toMatch(/name one of the accounts: anna, ben$/)
    expect(server.seen).toEqual([])
    expect(isApiError(await rejection(client.webhooks.delete(given, { account: 'ben' })), NOT_FOUND)).toBe(true)
    expect(server.seen.map(userOf)).toEqual(['ben'])
  })
})

describe('an account that cannot answer', () => {
  test.for([
    [403, 403],
    [NOT_FOUND, 404],
    [100005, 401],
    [REFUSED, 400],
  ] as const)(
    '%d (HTTP %d) in the middle of a list: the next account continues from that page',
    async ([code, status]) => {
      const { service, open, server } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 } })
      const client = open(['anna', 'ben'])
      await listProjects(client)
      const pages = [[], ['t1', 't2'], ['t3', 't4'], ['t5']]
      service.before = (response, seen) => {
        const page = Number(/page=(\d+)/.exec(seen.url)?.[1])
        if (userOf(seen) === 'anna' && page > 1) return errorBody(response, code, status)
        return json(
          response,
          (pages[page] ?? []).map((tid) => ({ tid, pid: 'p', name: tid })),
        )
      }
      const read: string[] = []
      for await (const { records } of archivedTasks(client, { pid: 'p', pageSize: 2, lookahead: 1 })) {
        read.push(...records.map(({ tid }) => tid))
      }
      expect(read).toEqual(['t1', 't2', 't3', 't4', 't5'])
      const asked = server.seen.slice(2).map((seen) => `${userOf(seen)} ${/page=(\d+)/.exec(seen.url)?.[1]}`)
      const at = asked.indexOf('ben 2')
      expect(asked[at - 1]).toBe('anna 2')
      expect(asked.slice(at).filter((ask) => ask.startsWith('anna'))).toEqual([])
    },
  )

  test('a service that fails for one account is asked once more as each other one', async () => {
    const { service, open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 }, carl: { p: 5 } })
    const client = open(['anna', 'ben', 'carl'], { retries: 2 })
    await listProjects(client)
    service.before = (response) => errorBody(response, 300003, 500)
    expect(await rejection(client.tasks.list({ pid: 'p', type: 'all' }))).toMatchObject({ code: 300003 })
    expect(whoAsked('/v1/tasks')).toEqual(['anna', 'anna', 'anna', 'ben', 'carl'])
  })

  test('one without a right is not asked for the same again, and stays the reader', async () => {
    const { service, open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 } })
    const client = open(['anna', 'ben'])
    await listProjects(client)
    service.before = (response, seen) =>
      seen.url.startsWith('/v1/pages') && userOf(seen) === 'anna' ? errorBody(response, 403, 403) : false
    for (let time = 0; time < 2; time++) await client.pages.list({ pid: 'p' })
    await client.tasks.list({ pid: 'p', type: 'all' })
    expect(whoAsked('/v1/pages')).toEqual(['anna', 'ben', 'ben'])
    expect(whoAsked('/v1/tasks')).toEqual(['anna'])
  })

  test.for([
    [REFUSED, 400],
    [100005, 401],
  ] as const)('%d (HTTP %d) for a list that is not documented: the next account is asked', async ([code, status]) => {
    const { service, open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 } })
    const client = open(['anna', 'ben'])
    await listProjects(client)
    const path = '/v1/projects/p/members'
    service.before = (response, seen) => {
      if (!seen.url.startsWith(path)) return false
      return userOf(seen) === 'anna' ? errorBody(response, code, status) : json(response, [])
    }
    expect(await client.projects.members.list({ pid: 'p' })).toEqual([])
    expect(whoAsked(path).slice(-1)).toEqual(['ben'])
  })

  test('a refused token ends its account, and all refused tokens end the client', async () => {
    const { service, open, server } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 } })
    const client = open(['anna', 'ben'])
    await listProjects(client)
    service.refused.add('anna')
    for (let time = 0; time < 2; time++) await client.tasks.list({ pid: 'p', type: 'all' })
    expect(server.seen.slice(2).map(userOf)).toEqual(['anna', 'ben', 'ben'])
    expect([...client.accounts.failures.keys()]).toEqual(['anna'])
    expect([...client.accounts.readers]).toEqual([['p', 'ben']])
    service.refused.add('ben')
    const error = await rejection(client.tasks.list({ pid: 'p', type: 'all' }))
    expect(isAuthError(error)).toBe(true)
    expect(String(error)).toMatch(/all accounts have failed: account anna: .*100006.*; account ben: .*100006/)
    const { requests } = client.stats
    expect(await rejection(client.projects.list({}, { account: 'anna' }))).toBe(error)
    expect(client.stats.requests).toBe(requests)
  })

  test('a token that cannot be read ends its account alone', async () => {
    const { open, server } = await serviceOf({ ben: { p: 15 } })
    const fail = () => Promise.reject(new Error('anna.json is missing'))
    const accounts = [
      { name: 'anna', token: { current: fail, renew: fail } },
      { name: 'ben', token: 'ben' },
    ]
    const client = open([], { accounts })
    const { failed, projects } = await listProjects(client)
    expect(failed.get('anna')?.message).toBe('account anna: anna.json is missing')
    expect(projects.map(({ pid }) => pid)).toEqual(['p'])
    expect(server.seen.map(userOf)).toEqual(['ben'])
  })
})

describe('that a project does not exist', () => {
  test('is the answer only if every account says so', async () => {
    const { open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: { q: 15 }, carl: {} })
    const client = open(['anna', 'ben', 'carl'])
    await listProjects(client)
    expect(isNotFound(await rejection(client.projects.get({ pid: 'gone' })))).toBe(true)
    expect(whoAsked('/v1/projects/gone')).toEqual(['anna', 'ben', 'carl'])
    // ben, who lists it, then those who may have been invited since
    const { service, ...other } = await serviceOf({ anna: { q: 31 }, ben: { p: 15 } })
    const second = other.open(['anna', 'ben'])
    await listProjects(second)
    service.users['ben'] = {}
    service.users['anna'] = { q: 31, p: 5 }
    await second.projects.get({ pid: 'p' })
    expect(other.whoAsked('/v1/projects/p')).toEqual(['ben', 'anna'])
    expect(second.accounts.readers.get('p')).toBe('anna')
  })

  test('is not concluded of any project if the list of an account cannot be read', async () => {
    const { service, open } = await serviceOf({ anna: { p: 31 }, ben: {} })
    service.refused.add('anna')
    const client = open(['anna', 'ben'])
    client.accounts.sawBefore([
      { pid: 'p', account: 'anna' },
      { pid: 'q', account: 'ben' },
    ])
    const { result } = await listProjects(client)
    expect(result).toMatchObject({ status: 'partial', error: { code: 'ACCOUNT_FAILED' } })
    expect(result.error).not.toHaveProperty('retryable')
    expect(result.error?.message).toMatch(
      /^account anna: projects\.list: .*100006.*what no other account sees is kept as it was read last$/,
    )
    const { notFound, unread } = await findUnlisted(client, ['p', 'q'], { projectsAtOnce: 2 })
    // anna may have been invited to q since
    expect([...notFound]).toEqual([])
    expect([...unread].map(([pid, { code }]) => [pid, code])).toEqual([
      ['p', 'ACCOUNT_FAILED'],
      ['q', 'ACCOUNT_FAILED'],
    ])
  })

  test('is concluded if no account that saw it failed after its list was read', async () => {
    const { service, open } = await serviceOf({ anna: { p: 31 }, ben: {} })
    const client = open(['anna', 'ben'])
    client.accounts.sawBefore([{ pid: 'q', account: 'ben' }])
    await listProjects(client)
    service.refused.add('anna')
    const { notFound, unread } = await findUnlisted(client, ['p', 'q'], { projectsAtOnce: 1 })
    expect([[...notFound], [...unread.keys()]]).toEqual([['q'], ['p']])
  })

  test('is not concluded if an account has read it that lists it not, and has failed since', async () => {
    const { service, open } = await serviceOf({ anna: { q: 31 }, ben: {} })
    const client = open(['anna', 'ben'])
    client.accounts.sawBefore([{ pid: 'p', account: 'ben' }])
    await listProjects(client)
    service.users['anna'] = { q: 31, p: 5 }
    await client.projects.get({ pid: 'p' })
    service.refused.add('anna')
    expect(isAccountError(await rejection(client.projects.get({ pid: 'p' })))).toBe(true)
  })

  test('is concluded though an account is no longer used, if that one never saw it', async () => {
    const { open } = await serviceOf({ anna: {} })
    const client = open(['anna'])
    client.accounts.sawBefore([
      { pid: 'p', account: 'eve' },
      { pid: 'q', account: 'anna' },
    ])
    await listProjects(client)
    expect(isNotFound(await rejection(client.projects.get({ pid: 'q' })))).toBe(true)
  })

  test('is not concluded if it is not known who saw it, and any account failed', async () => {
    const { service, open } = await serviceOf({ anna: {}, ben: {} })
    service.refused.add('anna')
    const client = open(['anna', 'ben'])
    await listProjects(client)
    expect(isAccountError(await rejection(client.projects.get({ pid: 'p' })))).toBe(true)
  })

  test('is not concluded of what an account saw that is no longer used', async () => {
    const { open } = await serviceOf({ anna: {} })
    const client = open(['anna'])
    client.accounts.sawBefore([{ pid: 'p', account: 'eve' }])
    const { failed, result } = await listProjects(client)
    expect([[...failed.keys()], result.status]).toEqual([['eve'], 'partial'])
    const error = await rejection(client.projects.get({ pid: 'p' }))
    expect(String(error)).toMatch(
      /account eve: it is no longer among the accounts; .* run snapshot --forget-account eve$/,
    )
  })

  test('an account whose list cannot be read is not used: it may know projects alone', async () => {
    const { service, open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: {} })
    const client = open(['anna', 'ben'], { retries: 0 })
    client.accounts.sawBefore([{ pid: 'p', account: 'anna' }])
    service.before = (response, seen) => (userOf(seen) === 'anna' ? response.destroy() : false)
    const { result } = await listProjects(client)
    expect(result.error).toMatchObject({ code: 'ACCOUNT_FAILED', retryable: true })
    service.before = () => false
    const { readable, unread } = await findUnlisted(client, ['p'], { projectsAtOnce: 1 })
    expect([readable, [...unread.keys()]]).toEqual([[], ['p']])
    expect(whoAsked('/v1/projects/p')).toEqual(['ben'])
  })
})

test('lists of a project that only a failed account knew are not requested', async () => {
  const { service, open, server } = await serviceOf({ anna: { p: 31 }, ben: {} })
  const client = open(['anna', 'ben'])
  const [project] = (await listProjects(client)).projects
  service.refused.add('anna')
  // as the service answers for webhooks of a project that the user does not see
  service.before = (response, seen) => (seen.url.startsWith('/v1/webhooks') ? json(response, []) : false)
  const streams = new Set(['projects', 'webhooks', 'pages'] as const)
  const results = await readProject(client, project ?? { pid: 'p', listed: null }, { streams }, new RecordingSink())
  expect(results.map(({ status, error }) => [status, error?.code])).toEqual(
    results.map(() => ['failed', 'ACCOUNT_FAILED']),
  )
  expect(server.seen.slice(2).map(({ url, ...seen }) => [userOf({ url, ...seen }), url])).toEqual([
    ['anna', '/v1/projects/p'],
    ['ben', '/v1/projects/p'],
  ])
})

test('a project that its best account has left meanwhile is read by the next, lists and all', async () => {
  const { service, open, server } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 } })
  const client = open(['anna', 'ben'])
  const [project] = (await listProjects(client)).projects
  service.users['anna'] = {}
  // as the service answers for webhooks of a project that the user does not see
  service.before = (response, seen) => {
    if (!seen.url.startsWith('/v1/webhooks')) return false
    return json(response, userOf(seen) === 'anna' ? [] : [{ wid: 'w', pid: 'p', actions: [] }])
  }
  const sink = new RecordingSink()
  const streams = new Set(['projects', 'webhooks', 'pages'] as const)
  const results = await readProject(client, project ?? { pid: 'p', listed: null }, { streams }, sink)
  expect(results.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete'])
  expect(sink.records('webhook').map(({ wid }) => wid)).toEqual(['w'])
  expect(server.seen.slice(2).map(userOf)).toEqual(['anna', 'ben', 'ben', 'ben'])
})

test('where the service limits each account, no account waits for another', async () => {
  const { service, open, server } = await serviceOf({ anna: { p: 31 }, ben: { q: 15 } })
  const client = open(['anna', 'ben'], { limitedPer: 'account', concurrency: 2 })
  await listProjects(client)
  let limits = 1
  service.before = (response, seen) => {
    if (userOf(seen) !== 'anna' || limits-- <= 0) return false
    return response.writeHead(429, { 'retry-after': '1' }).end()
  }
  const waiting = client.tasks.list({ pid: 'p', type: 'all' })
  await expect.poll(() => client.stats.retries).toBe(1)
  const more = client.pages.list({ pid: 'p' })
  for (let time = 0; time < 3; time++) await client.tasks.list({ pid: 'q', type: 'all' })
  expect(server.seen.slice(2).map(userOf)).toEqual(['anna', 'ben', 'ben', 'ben'])
  await Promise.all([waiting, more])
})

test.for([
  ['no accounts', { accounts: [] }, /^accounts must not be empty/],
  [
    'a name twice',
    {
      accounts: [
        { name: 'a', token: 'x' },
        { name: 'a', token: 'y' },
      ],
    },
    /^accounts\[1\]\.name must be/,
  ],
  ['a rate of 0', { accounts: [{ name: 'a', token: 'x', ratePerSecond: 0 }] }, /^accounts\[0\]\.ratePerSecond must be/],
  ['a token besides', { token: 'x', accounts: [{ name: 'a', token: 'x' }] }, /^token and accounts exclude/],
] as const)('%s is refused', ([, options, message]) => {
  expect(() => clientOf('http://127.0.0.1:1', { token: undefined, ...options })).toThrow(message)
})
