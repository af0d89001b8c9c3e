import { expect, test } from 'vitest'
import type { FoundProjects } from '../src/snapshot/absent-projects.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { member, page, project, team, user } from './support/records.ts'
import {
  batch,
  compared,
  inRun,
  LIMITS,
  live,
  liveColumn,
  publishIn,
  type StreamInput,
  snapshot,
} from './support/snapshot.ts'

/** The list of a team, which shows these projects beside those of the list of projects. */
const teamOf = (...pids: string[]) => teamWith(pids, [])

/** @param gone those of them that the service does not find */
const teamWith = (pids: readonly string[], gone: readonly string[]): StreamInput => ({
  batches: [
    batch('team', [team('m1')]),
    batch('team_member', [{ team_id: 'm1', member: member('u9') }]),
    batch(
      'team_project',
      pids.map((pid) => ({ team_id: 'm1', project: { pid, name: `Team's ${pid}` }, isNotFound: gone.includes(pid) })),
    ),
  ],
})

interface Night {
  readonly listed: readonly string[]
  readonly gone?: readonly string[]
  readonly teams?: StreamInput
}

/** One run over all projects. */
function night(warehouse: Warehouse, { listed, gone = [], teams }: Night) {
  return inRun(warehouse, async (run) => {
    const missing = await run.missingProjects(new Set(listed))
    await publishIn(run, null, { projects: {}, ...(teams && { teams }) })
    for (const pid of listed) {
      await publishIn(run, pid, {
        projects: { batches: [batch('project', [project(pid)])] },
        pages: { batches: [batch('page', [page('g1', { pid })])] },
      })
    }
    const found: FoundProjects = { listed: new Set(listed), gone: new Set(gone), readable: new Set(listed) }
    return { missing, ...(await run.markAbsentProjects(found, LIMITS)) }
  })
}

const projectsOf = async (warehouse: Warehouse) =>
  (await live(warehouse, 'projects', ['pid', 'permission', 'only_in_team'])).map((row) => Object.values(row))

onBackendsInTurn('projects that only a team shows', (backend) => {
  test('have a row without permission, are not requested, and go with the list', async () => {
    const warehouse = await backend.warehouse()
    await night(warehouse, { listed: ['p1'], teams: teamOf('q1', 'q2', 'q3') })
    expect(await projectsOf(warehouse)).toEqual([
      ['p1', 31, null],
      ['q1', 0, 'm1'],
      ['q2', 0, 'm1'],
      ['q3', 0, 'm1'],
    ])
    expect(await liveColumn(warehouse, 'users', 'uid')).toContain('u9')
    expect(await liveColumn(warehouse, 'teams', 'name')).toEqual(['Team m1'])
    const { missing } = await night(warehouse, { listed: ['p1'], teams: teamOf('q1', 'q2', 'q3') })
    expect(missing).toEqual([])
    // a list that was not read, or only in part, shows nothing
    await night(warehouse, { listed: ['p1'] })
    await night(warehouse, { listed: ['p1'], teams: { ...teamOf('q1'), status: 'partial' } })
    expect(await liveColumn(warehouse, 'projects', 'pid')).toEqual(['p1', 'q1', 'q2', 'q3'])
    expect(await night(warehouse, { listed: ['p1'], teams: teamOf('q1', 'q2') })).toMatchObject({
      deleted: [{ pid: 'q3' }],
    })
    const refused = await night(warehouse, { listed: ['p1'], teams: teamOf() })
    expect(refused).toMatchObject({ deleted: [], teamsRefusal: expect.stringContaining('2 of 2 projects of teams') })
    expect(await liveColumn(warehouse, 'projects', 'pid')).toEqual(['p1', 'q1', 'q2'])
    expect((await warehouse.log.coverage()).scopes.map(({ pid }) => pid)).not.toContain('q1')
  })

  test('stay where the list of their team is not offered, or may be cut', async () => {
    const warehouse = await backend.warehouse()
    const pids = async () => (await projectsOf(warehouse)).map(([pid]) => pid)
    await night(warehouse, { listed: ['p1'], teams: teamOf('q1', 'q2', 'q3') })
    await night(warehouse, { listed: ['p1'], teams: { ...teamOf(), lacksProjects: 'all' } })
    await night(warehouse, { listed: ['p1'], teams: { ...teamOf('q1', 'q2'), lacksProjects: 'some' } })
    await night(warehouse, { listed: ['p1'], teams: { ...teamOf('q1', 'q2'), suspicious: { length: 20 } } })
    expect(await pids()).toEqual(['p1', 'q1', 'q2', 'q3'])
    await night(warehouse, { listed: ['p1'], teams: teamOf('q1', 'q2') })
    expect(await pids()).toEqual(['p1', 'q1', 'q2'])
  })

  test('one that the list of projects once had is ordinary, and stays live when it leaves', async () => {
    const warehouse = await backend.warehouse()
    await night(warehouse, { listed: ['p1'], teams: teamOf('q1') })
    await night(warehouse, { listed: ['p1', 'q1'], teams: teamOf() })
    expect(await projectsOf(warehouse)).toEqual([
      ['p1', 31, null],
      ['q1', 31, null],
    ])
    const own = await liveColumn(warehouse, 'projects', 'name')
    // as long as it may exist, it keeps its values
    expect((await night(warehouse, { listed: ['p1'], teams: teamOf('q1') })).missing).toEqual(['q1'])
    expect([await projectsOf(warehouse), await liveColumn(warehouse, 'projects', 'name')]).toEqual([
      [
        ['p1', 31, null],
        ['q1', 31, 'm1'],
      ],
      own,
    ])
    const shown = teamWith(['q1'], ['q1'])
    const left = await night(warehouse, { listed: ['p1'], gone: ['q1'], teams: shown })
    expect(left).toMatchObject({ missing: ['q1'], deleted: [] })
    expect(await projectsOf(warehouse)).toEqual([
      ['p1', 31, null],
      ['q1', 0, 'm1'],
    ])
    const [teams] = await compared(warehouse, { teams: shown }, null, ['p1'])
    expect(teams).toMatchObject({ status: 'complete', differences: [] })
    expect(await liveColumn(warehouse, 'pages', 'pid')).toEqual(['p1', 'q1'])
    expect((await night(warehouse, { listed: ['p1'], teams: teamOf('q1') })).missing).toEqual([])
  })
})

onBackendsInTurn('a comparison of teams', (backend) => {
  const compare = async (warehouse: Warehouse, teams: StreamInput, listed = ['p1']) => {
    const [scope] = await compared(warehouse, { teams }, null, listed)
    return { ...scope, found: scope?.differences.map(({ kind, key, columns }) => [kind, key['pid'], ...columns]) }
  }
  const renamed = (pid: string) => batch('team_project', [{ team_id: 'm2', project: { pid, name: 'Renamed' } }])

  test('names the projects that only teams show and that are not stored as these show them', async () => {
    const warehouse = await backend.warehouse()
    await night(warehouse, { listed: ['p1', 'p2'], teams: teamOf('q1', 'q2', 'q3') })
    expect(await compare(warehouse, teamOf('q1', 'q2', 'q3'))).toMatchObject({ status: 'complete', found: [] })
    const { batches = [] } = teamOf('q4', 'p2')
    const differing = await compare(warehouse, { batches: [...batches, renamed('q2')] })
    expect(differing.found).toEqual([
      ['changed', 'p2', 'only_in_team'],
      ['changed', 'q2', 'name', 'team_id', 'only_in_team'],
      ['missing', 'q4'],
      ['extra', 'q1'],
      ['extra', 'q3'],
    ])
    expect(differing.counts).toEqual({ missing: 1, extra: 2, changed: 2 })
    // the comparison of the list of projects answers for q1
    expect((await compare(warehouse, teamOf('q2', 'q3'), ['p1', 'q1'])).found).toEqual([])
  })

  test('is not complete where lists that may be cut, or are not offered, lack a stored project', async () => {
    const warehouse = await backend.warehouse()
    await night(warehouse, { listed: ['p1'], teams: teamOf('q1', 'q2') })
    const some = await compare(warehouse, { ...teamOf('q1'), lacksProjects: 'some' })
    expect(some).toMatchObject({ status: 'partial', found: [], error: { code: 'TEAM_PROJECTS_UNREAD' } })
    const whole = await compare(warehouse, { ...teamOf('q1', 'q2'), lacksProjects: 'some' })
    expect(whole).toMatchObject({ status: 'complete', found: [] })
  })
})

onBackendsInTurn('findings of runs', (backend) => {
  test('an e-mail address stays when other records show the user without it', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { members: { batches: [batch('member', [member('u1')])] } })
    await snapshot(warehouse, {
      pages: { batches: [batch('page', [page('g1', { owner: user('u1', { name: 'New' }) })])] },
    })
    expect(await live(warehouse, 'users', ['name', 'email'])).toEqual([{ name: 'New', email: 'u1@example.org' }])
    await snapshot(warehouse, {
      members: { batches: [batch('member', [member('u1', { name: 'New', email: 'x@y.z' })])] },
    })
    expect(await live(warehouse, 'users', ['email'])).toEqual([{ email: 'x@y.z' }])
    expect(await live(warehouse, 'project_members', ['uid', 'role', 'email'])).toEqual([
      { uid: 'u1', role: 2, email: 'x@y.z' },
    ])
  })

  test('what is offered is known to the next run of the same service', async () => {
    const warehouse = await backend.warehouse()
    const url = 'http://127.0.0.1'
    expect(await warehouse.log.lastCapabilities(url)).toBeNull()
    await inRun(warehouse, async (run) => {
      await run.noteCapabilities({ 'entries.list': true, 'posts.list': false, 'teams.list': false })
      await run.noteCapabilities({ 'entries.list': false, 'teams.list': true })
    })
    await inRun(warehouse, (run) => run.noteCapabilities({ 'teams.list': false }))
    expect(await warehouse.log.lastCapabilities(`${url}/`)).toEqual({
      'entries.list': true,
      'posts.list': false,
      'teams.list': false,
    })
    expect(await warehouse.log.lastCapabilities('http://elsewhere')).toBeNull()
  })
})
