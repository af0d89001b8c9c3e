import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { serviceError } from './hostile-service/answers-amiss.ts'
import { emptyProject } from './hostile-service/make-records.ts'
import type { World } from './hostile-service/records.ts'
import { HostileService } from './hostile-service/server.ts'
import { projectOf, worldTonight } from './hostile-service/world.ts'
import { emptyWarehouse, settingsOf } from './night-before.ts'
import { storedIn, type WarehousePlace } from './stored.ts'

const OLD = 6

/** A service with so many empty projects whose ids begin with a letter. */
function worldOf(letter: string, projects: number): World {
  const pids = Array.from({ length: projects }, (_, index) => `${letter}${index + 1}`)
  return { projects: pids.map((pid, index) => emptyProject(pid, index + 1)), personalWebhooks: [] }
}

async function snapshot(
  fixture: Fixture,
  place: WarehousePlace,
  { baseUrl }: HostileService,
  ...args: readonly string[]
): Promise<Ran> {
  const env = { COLLAB_BASE_URL: baseUrl, COLLAB_RETRIES: '1', ...settingsOf(place) }
  return await fixture.run('collab-extract', ['snapshot', '--json', ...args], { env })
}

/** Ids of the live projects in the warehouse that begin with a letter. */
async function livePids(place: WarehousePlace, letter: string): Promise<string[]> {
  const { tables } = await storedIn(place)
  return (tables['projects'] ?? [])
    .map(({ pid }) => String(pid))
    .filter((pid) => pid.startsWith(letter))
    .toSorted()
}

/** A warehouse of six projects, and its service. */
async function sixProjects(fixture: Fixture): Promise<{ place: WarehousePlace; service: HostileService }> {
  const place = await emptyWarehouse(fixture)
  const service = await HostileService.start({ world: worldOf('A', OLD), token: fixture.token })
  fixture.defer(() => service[Symbol.asyncDispose]())
  fixture.cured(await snapshot(fixture, place, service))
  return { place, service }
}

fault(
  {
    category: 'service',
    name: 'another address',
    does: 'a warehouse of one service is used with the address of another service that has more projects',
    holds: 'the run is rejected before it reads anything, and names both services and `--rebind-service`',
  },
  async (fixture) => {
    const { place, service } = await sixProjects(fixture)
    await using other = await HostileService.start({ world: worldOf('B', 20), token: fixture.token })
    const refused = await snapshot(fixture, place, other)
    const ending = fixture.refused(refused)
    for (const text of [service.baseUrl, other.baseUrl, '--rebind-service']) expect(refused.stderr).toContain(text)
    expect(other.requests).toEqual([])
    expect(await livePids(place, 'A')).toHaveLength(OLD)

    // The new service is accepted; the deletion guard still applies, because it counts only rows from before the run.
    const rebound = await snapshot(fixture, place, other, '--rebind-service')
    fixture.named(rebound, 3)
    expect(JSON.parse(rebound.stdout).not_whole).toMatchObject([{ pid: null, status: 'refused' }])
    expect([await livePids(place, 'A'), await livePids(place, 'B')].map(({ length }) => length)).toEqual([OLD, 20])
    fixture.refused(await snapshot(fixture, place, service))
    return ending
  },
)

fault(
  {
    category: 'service',
    name: 'another team at the same address',
    does: 'the service lists 6, 8 or 20 projects, none of which is among the 6 that are stored, or lists no project',
    holds: 'the run is rejected before it stores anything, and names the projects and `--rebind-service`',
  },
  async (fixture) => {
    const { place, service } = await sixProjects(fixture)
    const before = await storedIn(place)
    let ending = ''
    for (const projects of [6, 8, 20, 0]) {
      service.world = worldOf('B', projects)
      const refused = await snapshot(fixture, place, service)
      ending = fixture.refused(refused).text
      expect(refused.stderr).toMatch(/none of the 6 .*\(A1, A2, A3, …\).*--rebind-service/)
    }
    expect(await storedIn(place)).toEqual(before)
    return { text: ending }
  },
)

fault(
  {
    category: 'service',
    name: 'another team with one common project',
    does: 'five of six stored projects no longer exist, and 6, 8 or 20 new ones are listed',
    holds: 'new projects do not count: the deletion guard keeps all rows and names `--allow-shrink`',
  },
  async (fixture) => {
    const { place, service } = await sixProjects(fixture)
    const [kept] = worldOf('A', 1).projects
    let ran: Ran | undefined
    for (const projects of [6, 8, 20]) {
      const { projects: others } = worldOf('B', projects)
      service.world = { projects: kept === undefined ? others : [kept, ...others], personalWebhooks: [] }
      ran = await snapshot(fixture, place, service)
      expect(await livePids(place, 'A')).toHaveLength(OLD)
      expect(JSON.parse(ran.stdout).not_whole).toMatchObject([
        { pid: null, error: { message: expect.stringMatching(/^5 of \d+ projects .*--allow-shrink/) } },
      ])
    }
    if (ran === undefined) throw new Error('it was never tried')
    return fixture.named(ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'deletion guard, then a run of one project',
    does: 'five of six stored projects no longer exist and eight are new; between two full runs, one project is read alone',
    holds: 'new projects still do not count: the deletion guard keeps all rows again',
  },
  async (fixture) => {
    const { place, service } = await sixProjects(fixture)
    service.world = { projects: [...worldOf('A', 1).projects, ...worldOf('B', 8).projects], personalWebhooks: [] }
    fixture.named(await snapshot(fixture, place, service), 3)
    fixture.cured(await snapshot(fixture, place, service, '--project', 'B1'))
    const ending = fixture.named(await snapshot(fixture, place, service), 3)
    expect(await livePids(place, 'A')).toHaveLength(OLD)
    return ending
  },
)

fault(
  {
    category: 'service',
    name: 'another team, no projects stored',
    does: 'a warehouse was filled with `--streams` without `projects`; the service lists a project that is not stored',
    holds: 'the run is rejected before it stores anything, and names `--rebind-service`',
  },
  async (fixture) => {
    const place = await emptyWarehouse(fixture)
    await using service = await HostileService.start({ world: worldTonight(), token: fixture.token })
    fixture.cured(await snapshot(fixture, place, service, '--streams', 'tasks,archived_tasks,pages'))
    const before = await storedIn(place)
    service.world = worldOf('B', 1)
    const refused = await snapshot(fixture, place, service)
    const ending = fixture.refused(refused)
    expect(refused.stderr).toContain('--rebind-service')
    expect(await storedIn(place)).toEqual(before)
    return ending
  },
)

fault(
  {
    category: 'service',
    name: 'address in another notation',
    does: 'the base URL has upper-case letters and a trailing slash',
    holds: 'it is the same service: the run succeeds',
  },
  async (fixture) => {
    const place = { dataDir: join(fixture.path, 'data') }
    await using service = await HostileService.start({ world: worldOf('A', 2), token: fixture.token })
    fixture.cured(await snapshot(fixture, place, service))
    const { baseUrl } = service
    const env = { COLLAB_BASE_URL: `${baseUrl.replace('http', 'HTTP')}/`, ...settingsOf(place) }
    return fixture.cured(await fixture.run('collab-extract', ['snapshot'], { env }))
  },
)

fault(
  {
    category: 'service',
    name: 'backups: another service',
    does: 'the base URL belongs to another service than the warehouse; then both are backed up into one directory',
    holds:
      'the first backup is rejected without `--from`; `latest`, hard links, prune and diff keep the services apart',
  },
  async (fixture) => {
    const { place, service } = await sixProjects(fixture)
    await using other = await HostileService.start({ world: worldOf('B', 2), token: fixture.token })
    const out = join(fixture.path, 'out')
    const backup = (of: HostileService, ...args: string[]) => {
      const env = { COLLAB_BASE_URL: of.baseUrl, COLLAB_RETRIES: '1', ...settingsOf(place) }
      return fixture.run('collab-export', ['backup', '--out', out, '--format', 'csv', '--json', ...args], { env })
    }
    const refused = await backup(other)
    const ending = fixture.refused(refused)
    for (const text of [service.baseUrl, other.baseUrl, '--from warehouse']) expect(refused.stderr).toContain(text)

    const own = JSON.parse((await backup(other, '--from', 'warehouse')).stdout)
    expect(own.source).toMatchObject({ kind: 'warehouse', base_url: service.baseUrl })
    const theirs = JSON.parse((await backup(other, '--from', 'api')).stdout)
    expect(theirs).toMatchObject({ source: { base_url: other.baseUrl }, latest: false, shared: null })
    const again = JSON.parse((await backup(other, '--from', 'api')).stdout)
    expect(again).toMatchObject({ latest: false, shared: { with: theirs.name } })

    const run = (...args: string[]) => fixture.run('collab-export', args, {})
    const compared = await run('diff', own.backup, theirs.backup)
    fixture.refused(compared)
    expect(compared.stderr).toContain('--across-services')
    const pruned = JSON.parse((await run('prune', out, '--keep-last', '1', '--json')).stdout)
    expect(pruned.removed).toEqual([theirs.name])
    return ending
  },
)

fault(
  {
    category: 'service',
    name: 'replaced tasks while the archive fails',
    does: 'all tasks are replaced by a larger number of others in a night in which the archive cannot be read; the next nights succeed',
    holds: 'the new tasks do not count: the deletion guard keeps all rows each night and names `--allow-shrink`',
  },
  async (fixture) => {
    const place = await emptyWarehouse(fixture)
    const service = await HostileService.start({ world: worldTonight(), token: fixture.token })
    fixture.defer(() => service[Symbol.asyncDispose]())
    const { tasks } = projectOf(service.world, 'P1')
    fixture.cured(await snapshot(fixture, place, service))
    const before = (await liveTasks(place)).length

    tasks.splice(
      0,
      tasks.length,
      ...tasks.flatMap((task) => ['x', 'y', 'z'].map((suffix) => ({ ...task, tid: `${task.tid}${suffix}` }))),
    )
    service.follow([{ on: 'archived', pid: 'P1', does: serviceError(120001, 500) }])
    fixture.named(await snapshot(fixture, place, service), 3)
    service.follow([])
    let ran: Ran | undefined
    for (const _ of [1, 2]) {
      ran = await snapshot(fixture, place, service)
      expect(ran.stdout).toMatch(/of \d+ tasks stored before .*--allow-shrink/)
      expect(await liveTasks(place)).toHaveLength(before + tasks.length)
    }
    if (ran === undefined) throw new Error('it was never tried')
    return fixture.named(ran, 3)
  },
)

/** Live tasks of project P1 that are not archived. */
async function liveTasks(place: WarehousePlace): Promise<unknown[]> {
  const { tables } = await storedIn(place)
  return (tables['tasks'] ?? []).filter(({ pid, archived }) => pid === 'P1' && archived !== true)
}
