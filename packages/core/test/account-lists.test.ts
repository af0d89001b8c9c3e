import { expect, test } from 'vitest'
import { isApiError, listProjects, readPersonalWebhooks, readProject, readTeams, tryOperations } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { errorBody, json, rejection } from './helpers/server.ts'
import { serviceOf, userOf } from './helpers/users.ts'

test('lists are not asked of an account that only listed the project before', async () => {
  const { service, open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: {} })
  const client = open(['anna', 'ben'])
  client.accounts.sawBefore(['anna', 'ben'].map((account) => ({ pid: 'p', account })))
  await listProjects(client)
  service.before = (response, seen) => {
    if (!seen.url.startsWith('/v1/webhooks')) return false
    return userOf(seen) === 'anna' ? errorBody(response, 403, 403) : json(response, [])
  }
  expect(isApiError(await rejection(client.webhooks.list({ pid: 'p' })), 403)).toBe(true)
  expect(whoAsked('/v1/webhooks')).toEqual(['anna'])
})

test('a reader that left a project is followed by the next account for observed lists, too', async () => {
  const { service, open, whoAsked } = await serviceOf({ anna: { p: 31, q: 31 }, ben: { p: 15 } })
  const client = open(['anna', 'ben'], { offered: {} })
  await listProjects(client)
  await client.entries.list({ pid: 'p' })
  service.users['anna'] = { q: 31 }
  expect(await client.entries.list({ pid: 'p' })).toEqual([])
  expect(whoAsked('/v1/entries')).toEqual(['anna', 'anna', 'ben'])
  expect(client.accounts.readers.get('p')).toBe('ben')
})

test('personal webhooks are those of all accounts; of one that failed they are kept', async () => {
  const { service, open } = await serviceOf({ anna: {}, ben: {} })
  const sink = new RecordingSink()
  expect(await readPersonalWebhooks(open(['anna', 'ben']), sink)).toMatchObject({ status: 'complete', read: 2 })
  expect(sink.records('webhook').map(({ wid }) => wid)).toEqual(['w-anna', 'w-ben'])
  const twins = [
    { name: 'anna', token: 'anna' },
    { name: 'also-anna', token: 'anna' },
  ]
  const once = new RecordingSink()
  await readPersonalWebhooks(open([], { accounts: twins }), once)
  expect(once.records('webhook').map(({ wid }) => wid)).toEqual(['w-anna'])
  service.refused.add('ben')
  const result = await readPersonalWebhooks(open(['anna', 'ben']), new RecordingSink())
  expect(result).toMatchObject({ status: 'partial', read: 1, error: { code: 'ACCOUNT_FAILED' } })
})

test.for([403, 404])(
  'an account that is answered %d for teams has failed only if it could read them before',
  async (status) => {
    const { service, open } = await serviceOf({ anna: {}, ben: {} })
    service.before = (response, seen) => {
      if (userOf(seen) === 'anna') return errorBody(response, status, status)
      return json(response, seen.url === '/v1/teams' ? [{ team_id: 't', name: 'T' }] : [])
    }
    const read = async (wasOffered: boolean) => {
      const client = open(['anna', 'ben'], { offered: {} })
      if (wasOffered) client.accounts.expectTeams('anna')
      return await readTeams(client, new RecordingSink(), { listed: new Set() })
    }
    expect(await read(false)).toMatchObject({ status: 'complete', read: 1 })
    expect(await read(true)).toMatchObject({ status: 'partial', error: { code: 'ACCOUNT_FAILED' } })
  },
)

test('what a team holds is asked of each account that shows it, until one is given it', async () => {
  const { service, open, whoAsked } = await serviceOf({ anna: {}, ben: {} })
  service.before = (response, seen) => {
    const teams = userOf(seen) === 'anna' ? ['s', 't'] : ['t', 'u']
    if (seen.url === '/v1/teams')
      return json(
        response,
        teams.map((team_id) => ({ team_id, name: team_id })),
      )
    if (!seen.url.startsWith('/v1/teams/')) return false
    if (userOf(seen) === 'anna') return errorBody(response, 404, 404)
    const [, , , id, what] = seen.url.split('/')
    if (what === 'members') return json(response, [{ uid: `u-${id}`, name: 'User' }])
    return json(response, what === 'projects' ? [{ pid: `p-${id}`, name: 'Project' }] : { team_id: id, name: 'Detail' })
  }
  const client = open(['anna', 'ben'], { offered: {} })
  const sink = new RecordingSink()
  const result = await readTeams(client, sink, { listed: new Set(), notFound: new Set(['p-u']) })
  // nothing is known of the projects of the team that anna alone shows
  expect(result).toMatchObject({ status: 'complete', lacksProjects: 'some' })
  expect(sink.records('team').map(({ team_id, name }) => [team_id, name])).toEqual([
    ['s', 's'],
    ['t', 'Detail'],
    ['u', 'Detail'],
  ])
  expect(sink.records('team_member').map(({ team_id }) => team_id)).toEqual(['t', 'u'])
  expect(sink.records('team_project').map(({ project, isNotFound }) => [project.pid, isNotFound])).toEqual([
    ['p-t', false],
    ['p-u', true],
  ])
  expect(client.capabilities.found).toMatchObject({ 'teams.members.list': true, 'teams.projects.list': true })
  expect(whoAsked('/v1/teams/u/')).toEqual(['ben', 'ben'])
})

test.for([
  [true, 'failed'],
  [false, 'complete'],
] as const)('an empty list of webhooks of an account that lost access, others stored: %s: is %s', async (of) => {
  const [hasStored, status] = of
  const { service, open, whoAsked } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 } })
  const client = open(['anna', 'ben'])
  const [project] = (await listProjects(client)).projects
  const read = async () => {
    const options = { streams: new Set(['projects', 'webhooks'] as const), hasWebhooks: async () => hasStored }
    return (await readProject(client, project ?? { pid: 'p', listed: null }, options, new RecordingSink())).at(-1)
  }
  expect(await read()).toMatchObject({ scope: { stream: 'webhooks' }, status: 'complete' })
  service.before = (response, seen) => {
    if (!seen.url.startsWith('/v1/webhooks')) return false
    service.users['anna'] = {}
    return json(response, [])
  }
  expect(await read()).toMatchObject({ status, ...(hasStored && { error: { code: 'ACCOUNT_FAILED' } }) })
  expect(whoAsked('/v1/webhooks')).toEqual(['anna', 'anna'])
})

test('what one account is offered counts as offered, and each has its own findings', async () => {
  const { service, open } = await serviceOf({ anna: { p: 31 }, ben: { p: 15 } })
  service.before = (response, seen) => {
    if (seen.url.startsWith('/v1/projects')) return false
    if (userOf(seen) === 'anna') return errorBody(response, 404, 404)
    const uid = userOf(seen) === 'ben' ? 'u-ben' : ''
    return json(response, seen.url.includes('profile') ? { uid, name: 'Ben' } : [])
  }
  const client = open(['anna', 'ben', 'carl'], { offered: {} })
  const { projects } = await listProjects(client)
  const owners = await tryOperations(client, projects)
  expect([...owners]).toEqual([['ben', { uid: 'u-ben', name: 'Ben' }]])
  expect(client.capabilities.found).toMatchObject({ 'profile.get': true, 'entries.list': true })
  expect(client.accounts.offeredTo('anna')).toMatchObject({ 'profile.get': false, 'entries.list': false })
  expect(client.accounts.offeredTo('ben')).toMatchObject({ 'profile.get': true, 'entries.list': true })
})
