/** @module-tag thorough */

import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { emptyProject } from '@collab-etl/harness/records'
import type { ProjectState, Sandbox } from '@collab-etl/sandbox'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Ending, Fixture } from '../support/fixture.ts'
import { World } from '../support/world.ts'
import { serviceError } from './rules.ts'
import { replace, showWorld, worldOf, worldTonight } from './world.ts'

const OLD = 6

/** A service with so many empty projects whose ids begin with a letter. */
function projectsOf(letter: string, count: number): ProjectState[] {
  return Array.from({ length: count }, (_, index) => emptyProject(`${letter}${index + 1}`, index + 1))
}

function serve(fixture: Fixture, letter: string, count: number): Promise<Sandbox> {
  return showWorld(fixture, worldOf(projectsOf(letter, count)))
}

/** Runs a snapshot of the service, or of another one. */
function snapshot(world: World, { baseUrl }: Sandbox, ...args: readonly string[]): Promise<Ran> {
  return world.extract(['snapshot', '--json', ...args], { env: { COLLAB_BASE_URL: baseUrl } })
}

/** Ids of the live projects in the warehouse that begin with a letter. */
async function livePids(world: World, letter: string): Promise<string[]> {
  const { tables } = await world.stored()
  return (tables['projects'] ?? [])
    .map(({ pid }) => String(pid))
    .filter((pid) => pid.startsWith(letter))
    .toSorted()
}

/** A warehouse of six projects, and its service. */
async function sixProjects(fixture: Fixture): Promise<{ world: World; service: Sandbox }> {
  const world = await World.onServer(fixture, { store: worldOf(projectsOf('A', OLD)) })
  fixture.cured(await snapshot(world, world.sandbox))
  return { world, service: world.sandbox }
}

fault('the address of another service for the same warehouse', async (fixture) => {
  const { world, service } = await sixProjects(fixture)
  const other = await serve(fixture, 'B', 20)
  const refused = await snapshot(world, other)
  const ending = fixture.refused(refused)
  for (const text of [service.baseUrl, other.baseUrl, '--rebind-service']) expect(refused.stderr).toContain(text)
  expect(other.requests).toEqual([])
  expect(await livePids(world, 'A')).toHaveLength(OLD)

  // The new service is accepted; the deletion guard still applies, because it counts only rows from before the run.
  const rebound = await snapshot(world, other, '--rebind-service')
  fixture.named(rebound, 3)
  expect(JSON.parse(rebound.stdout).not_whole).toMatchObject([{ pid: null, status: 'refused' }])
  expect([await livePids(world, 'A'), await livePids(world, 'B')].map(({ length }) => length)).toEqual([OLD, 20])
  fixture.refused(await snapshot(world, service))
  return ending
})

fault('another team at the same address: no stored project is listed', async (fixture) => {
  const { world, service } = await sixProjects(fixture)
  const before = await world.stored()
  let ending: Ending = 'refused'
  for (const projects of [6, 8, 20, 0]) {
    replace(service, projectsOf('B', projects))
    const refused = await snapshot(world, service)
    ending = fixture.refused(refused)
    expect(refused.stderr).toMatch(/none of the 6 .*\(A1, A2, A3, …\).*--rebind-service/)
  }
  expect(await world.stored()).toEqual(before)
  return ending
})

fault('another team at the same address that shares one project', async (fixture) => {
  const { world, service } = await sixProjects(fixture)
  let ran: Ran | undefined
  for (const projects of [6, 8, 20]) {
    replace(service, [...projectsOf('A', 1), ...projectsOf('B', projects)])
    ran = await snapshot(world, service)
    expect(await livePids(world, 'A')).toHaveLength(OLD)
    expect(JSON.parse(ran.stdout).not_whole).toMatchObject([
      { pid: null, error: { message: expect.stringMatching(/^5 of \d+ projects .*--allow-shrink/) } },
    ])
  }
  if (ran === undefined) throw new Error('it was never tried')
  return fixture.named(ran, 3)
})

fault('most projects replaced; between two full runs one project is read alone', async (fixture) => {
  const { world, service } = await sixProjects(fixture)
  replace(service, [...projectsOf('A', 1), ...projectsOf('B', 8)])
  fixture.named(await snapshot(world, service), 3)
  fixture.cured(await snapshot(world, service, '--project', 'B1'))
  const ending = fixture.named(await snapshot(world, service), 3)
  expect(await livePids(world, 'A')).toHaveLength(OLD)
  return ending
})

fault('another team, and a warehouse without rows of projects', async (fixture) => {
  const world = await World.onServer(fixture, { store: worldTonight() })
  const service = world.sandbox
  fixture.cured(await snapshot(world, service, '--streams', 'tasks,archived_tasks,pages'))
  const before = await world.stored()
  replace(service, projectsOf('B', 1))
  service.store.changePersonalWebhooks((webhooks) => webhooks.splice(0))
  const refused = await snapshot(world, service)
  const ending = fixture.refused(refused)
  expect(refused.stderr).toContain('--rebind-service')
  expect(await world.stored()).toEqual(before)
  return ending
})

fault('the base URL in upper case, with a trailing slash', async (fixture) => {
  const world = await World.open(fixture, { store: worldOf(projectsOf('A', 2)) })
  fixture.cured(await snapshot(world, world.sandbox))
  const env = { COLLAB_BASE_URL: `${world.sandbox.baseUrl.replace('http', 'HTTP')}/` }
  return fixture.cured(await world.extract(['snapshot'], { env }))
})

fault('backup: the base URL belongs to another service than the warehouse', async (fixture) => {
  const { world, service } = await sixProjects(fixture)
  const other = await serve(fixture, 'B', 2)
  const out = join(fixture.path, 'out')
  const backup = ({ baseUrl }: Sandbox, ...args: string[]) => {
    const words = ['backup', '--out', out, '--format', 'csv', '--json', ...args]
    return world.export(words, { env: { COLLAB_BASE_URL: baseUrl } })
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
  const world = await World.onServer(fixture, { store: worldTonight() })
  const service = world.sandbox
  fixture.cured(await snapshot(world, service))
  const before = (await liveTasks(world)).length

  const { tasks } = service.store.change('P1', (project) => {
    project.tasks = project.tasks.flatMap((task) => ['x', 'y', 'z'].map((end) => ({ ...task, tid: task.tid + end })))
    return project
  })
  service.follow([{ on: 'tasks.archived.list', pid: 'P1', does: serviceError(120001, 500) }])
  fixture.named(await snapshot(world, service), 3)
  service.follow([])
  let ran: Ran | undefined
  for (const _ of [1, 2]) {
    ran = await snapshot(world, service)
    expect(ran.stdout).toMatch(/of \d+ tasks stored before .*--allow-shrink/)
    expect(await liveTasks(world)).toHaveLength(before + tasks.length)
  }
  if (ran === undefined) throw new Error('it was never tried')
  return fixture.named(ran, 3)
})

/** Live tasks of project P1 that are not archived. */
async function liveTasks(world: World): Promise<unknown[]> {
  const { tables } = await world.stored()
  return (tables['tasks'] ?? []).filter(({ pid, archived }) => pid === 'P1' && archived !== true)
}
