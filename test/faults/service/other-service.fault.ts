import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Ending, Fixture } from '../support/fixture.ts'
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

fault('the address of another service for the same warehouse', async (fixture) => {
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
})

fault('another team at the same address: no stored project is listed', async (fixture) => {
  const { place, service } = await sixProjects(fixture)
  const before = await storedIn(place)
  let ending: Ending = 'refused'
  for (const projects of [6, 8, 20, 0]) {
    service.world = worldOf('B', projects)
    const refused = await snapshot(fixture, place, service)
    ending = fixture.refused(refused)
    expect(refused.stderr).toMatch(/none of the 6 .*\(A1, A2, A3, …\).*--rebind-service/)
  }
  expect(await storedIn(place)).toEqual(before)
  return ending
})

fault('another team at the same address that shares one project', async (fixture) => {
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
})

fault('most projects replaced; between two full runs one project is read alone', async (fixture) => {
  const { place, service } = await sixProjects(fixture)
  service.world = { projects: [...worldOf('A', 1).projects, ...worldOf('B', 8).projects], personalWebhooks: [] }
  fixture.named(await snapshot(fixture, place, service), 3)
  fixture.cured(await snapshot(fixture, place, service, '--project', 'B1'))
  const ending = fixture.named(await snapshot(fixture, place, service), 3)
  expect(await livePids(place, 'A')).toHaveLength(OLD)
  return ending
})

fault('another team, and a warehouse without rows of projects', async (fixture) => {
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
})

fault('the base URL in upper case, with a trailing slash', async (fixture) => {
  const place = { dataDir: join(fixture.path, 'data') }
  await using service = await HostileService.start({ world: worldOf('A', 2), token: fixture.token })
  fixture.cured(await snapshot(fixture, place, service))
  const { baseUrl } = service
  const env = { COLLAB_BASE_URL: `${baseUrl.replace('http', 'HTTP')}/`, ...settingsOf(place) }
  return fixture.cured(await fixture.run('collab-extract', ['snapshot'], { env }))
})

fault('backup: the base URL belongs to another service than the warehouse', async (fixture) => {
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
})

fault('all tasks are replaced in a night in which the archive cannot be read', async (fixture) => {
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
})

/** Live tasks of project P1 that are not archived. */
async function liveTasks(place: WarehousePlace): Promise<unknown[]> {
  const { tables } = await storedIn(place)
  return (tables['tasks'] ?? []).filter(({ pid, archived }) => pid === 'P1' && archived !== true)
}
