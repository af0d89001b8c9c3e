import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import type { ScopedRow } from '@collab-etl/harness/expected-rows'
import { describeThoroughly } from '@collab-etl/harness/thorough'
import type { Sandbox, Store } from '@collab-etl/sandbox'
import { redirect, value } from '@collab-etl/sandbox/behaviours'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import type { Tables } from '../support/stored.ts'
import { World } from '../support/world.ts'
import { asBefore, notListed, skipped, unlisted, without } from './listed-projects.ts'
import { expectNight, night } from './night.ts'
import { gateway, READS, serviceError } from './rules.ts'
import { projectOf, setPermission, showWorld, worldBefore, worldTonight } from './world.ts'

const ALL_BUT_ITS_DETAIL = {
  'tasks P2': 'failed',
  'archived_tasks P2': 'failed',
  'pages P2': 'failed',
  'posts P2': 'partial',
  'events P2': 'failed',
  'webhooks P2': 'failed',
} as const

/** No post of it could be read. */
const isPostOfP2 = ({ pid, stream }: ScopedRow) => pid === 'P2' && stream === 'posts'

const EVERYTHING_OF_P2 = { ...ALL_BUT_ITS_DETAIL, 'projects P2': 'failed' } as const

/** The rows of these projects combine the list with their earlier details. */
function fromList(...pids: string[]): (tables: Tables) => void {
  return ({ projects = [] }) => {
    for (const row of projects.filter(({ pid }) => pids.includes(String(pid)))) {
      Object.assign(row, { description: projectOf(worldTonight(), String(row['pid'])).desc, permission: 0 })
    }
  }
}

/** The own row of a project has the description of the list. */
function listedText(pid: string): (tables: Tables) => void {
  return ({ projects = [] }) =>
    Object.assign(projects.find((row) => row['pid'] === pid) ?? {}, {
      description: projectOf(worldTonight(), pid).desc,
    })
}

fault('the list of projects is suddenly empty', async (fixture) => {
  const { ran, requests, stored } = await night(fixture, { rules: [{ on: 'projects.list', does: value(() => []) }] })
  expect(requests.flatMap(({ operation }) => operation ?? [])).toEqual(['projects.list'])
  expect(stored.status, 'the run of the night before').toBe('succeeded')
  expect(stored.tables['projects']).toHaveLength(3)
  return fixture.refused(ran)
})

/** The token has no permission in these projects. */
function forbidden(world: Store, ...pids: string[]): Store {
  for (const pid of pids) setPermission(world, pid, 0)
  return world
}

fault('most projects are missing from the list and answer "does not exist"', async (fixture) => {
  const missing = ['P2', 'P3'].map((pid) => ({ on: READS, pid, does: serviceError(400004, 404) }))
  const tonight = await night(fixture, { rules: [without('P2', 'P3'), ...missing] })
  const known = worldBefore()
  known.addProject(projectOf(worldTonight(), 'P1'))
  expectNight(tonight, { tonight: known, notComplete: { 'projects -': 'refused' } })
  expect(tonight.ran.stdout).toContain('2 of 3 projects would be marked deleted')
  expect(tonight.ran.stdout).toContain('--allow-shrink')
  return fixture.named(tonight.ran, 3)
})

fault('most projects are missing from the list, but can be read', async (fixture) => {
  const tonight = await night(fixture, { rules: [without('P2', 'P3')] })
  const { pids, since } = notListed(tonight.stored)
  expect(pids).toEqual(['P2', 'P3'])
  expect(since).toHaveLength(1)
  expect(JSON.parse(tonight.ran.stdout)).toMatchObject({ unlisted: ['P2', 'P3'], rows: { projects: { deleted: 0 } } })
  expectNight(tonight, { except: unlisted(['P2', 'P3'], since[0]) })
  return fixture.cured(tonight.ran)
})

fault('most pages and webhooks of a project are missing from valid answers', async (fixture) => {
  const world = worldTonight()
  const project = projectOf(world, 'P1')
  project.pages.splice(1, 2)
  project.webhooks = []
  const tonight = await night(fixture, { rules: [], world })
  expectNight(tonight, { notComplete: { 'pages P1': 'refused', 'webhooks P1': 'refused' } })
  return fixture.named(tonight.ran, 3)
})

fault('permission 0 for one project, then for all', async (fixture) => {
  let ran: Ran | undefined
  for (const pids of [['P2'], ['P1', 'P2', 'P3']]) {
    const tonight = await night(fixture, { rules: [], world: forbidden(worldTonight(), ...pids) })
    ran = tonight.ran
    const document: { status: string; not_whole: { pid: string; error: { code: string } }[] } = JSON.parse(ran.stdout)
    expect([document.status, tonight.stored.status]).toEqual(['partial', 'partial'])
    expect([...new Set(document.not_whole.map(({ pid, error }) => `${pid} ${error.code}`))].toSorted()).toEqual(
      pids.map((pid) => `${pid} ACCESS_LOST`),
    )
    expectNight(tonight, { status: 'partial', notComplete: skipped(...pids), except: fromList(...pids) })
    await rm(join(fixture.path, 'data'), { recursive: true, force: true })
  }
  if (ran === undefined) throw new Error('nothing was tried')
  return fixture.named(ran, 3)
})

fault('every operation of one project answers 403', async (fixture) => {
  const tonight = await night(fixture, { rules: [{ on: READS, pid: 'P2', does: serviceError(100007, 403) }] })
  const status = Object.keys(EVERYTHING_OF_P2).map((scope) => [scope, scope === 'posts P2' ? 'partial' : 'skipped'])
  expectNight(tonight, { notComplete: Object.fromEntries(status), isUnread: isPostOfP2, except: listedText('P2') })
  return fixture.named(tonight.ran, 3)
})

for (const { title, does } of [
  { title: 'HTTP 401 of a proxy, from the middle of a run on', does: gateway(401) },
  { title: 'HTTP 401 of the service with an undocumented code', does: serviceError(999_999, 401) },
]) {
  fault(title, async (fixture) => {
    const tonight = await night(fixture, {
      rules: [{ on: 'tasks.archived.list', pid: 'P1', where: ({ page }) => page === 2, does }],
    })
    expectNight(tonight, { status: 'failed' })
    return fixture.named(tonight.ran, 4)
  })
}

/** Another server, which records its requests. */
function elsewhere(fixture: Fixture): Promise<Sandbox> {
  return showWorld(fixture, worldTonight())
}

describeThoroughly('variations', () => {
  fault('a project is missing from the list and answers 403, 404 or 500', async (fixture) => {
    const answers = [serviceError(100007, 403), gateway(404), gateway(500)]
    let ran: Ran | undefined
    for (const does of answers) {
      const tonight = await night(fixture, { rules: [without('P2'), { on: READS, pid: 'P2', does }] })
      expectNight(tonight, {
        notComplete: { 'projects P2': 'failed' },
        except: asBefore('P2'),
      })
      ran = tonight.ran
      expect(ran.stdout).toContain('missing from the list of projects')
      await rm(join(fixture.path, 'data'), { recursive: true, force: true })
    }
    if (ran === undefined) throw new Error('nothing was tried')
    return fixture.named(ran, 3)
  })

  fault('a listed project has no id: a project answered with 404 is not marked deleted', async (fixture) => {
    const nameless = (listed: { pid: string }[]) =>
      listed.map((each) => (each.pid === 'P3' ? { ...each, pid: null } : each))
    const tonight = await night(fixture, {
      rules: [
        { on: 'projects.list', does: value(nameless) },
        { on: 'projects.get', pid: 'P3', does: serviceError(400004, 404) },
      ],
    })
    const lost = { pid: null, stream: 'projects', record_key: '#2', field: '', kind: 'unkeyed' }
    expectNight(tonight, {
      notComplete: { 'projects -': 'partial', 'projects P3': 'failed' },
      except: asBefore('P3'),
      losses: [lost],
    })
    const { not_whole, unread_items } = JSON.parse(tonight.ran.stdout)
    expect(not_whole).toMatchObject([{ error: { code: 'UNKEYED' } }, { error: { code: 'UNKEYED' } }])
    expect(unread_items).toMatchObject([{ pid: null, stream: 'projects', error_code: 'UNKEYED' }])
    return fixture.named(tonight.ran, 3)
  })

  fault('a new warehouse, and an empty list of projects', async (fixture) => {
    const world = await World.onServer(fixture, { store: worldTonight() })
    const isEmbedded = world.place.databaseUrl === undefined
    world.sandbox.follow([{ ...without('P1', 'P2', 'P3'), first: isEmbedded ? 2 : 3 }])
    const ran = await world.extract(['snapshot'])
    expect(ran.stdout).toMatch(/lists no project for this token: check .*--base-url/)
    expect((await world.stored()).status).toBe('partial')
    for (const from of ['warehouse', 'api']) {
      const out = join(fixture.path, from)
      const backup = await world.export(['backup', '--out', out, '--from', from, '--json'])
      expect([backup.code, backup.stdout], from).toEqual([3, expect.stringContaining('NO_PROJECTS')])
    }
    const workers = isEmbedded ? [] : ['--workers', '1']
    if (!isEmbedded) expect((await world.extract(['snapshot', ...workers])).code).toBe(3)
    expect((await world.extract(['snapshot', ...workers])).code).toBe(0)
    return fixture.named(ran, 3)
  })

  fault('a project is deleted while it is read', async (fixture) => {
    const later = READS.filter((id) => id !== 'projects.get')
    const tonight = await night(fixture, { rules: [{ on: later, pid: 'P2', does: serviceError(400004, 404) }] })
    expectNight(tonight, { notComplete: ALL_BUT_ITS_DETAIL, isUnread: isPostOfP2 })
    return fixture.named(tonight.ran, 3)
  })

  fault('the token is rejected from the middle of a run on (100006)', async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'tasks.archived.list', pid: 'P1', where: ({ page }) => page === 2, does: serviceError(100006, 400) },
      ],
    })
    expectNight(tonight, { status: 'failed' })
    return fixture.named(tonight.ran, 4)
  })

  fault('redirects (301, 307, 308) to a server that would answer', async (fixture) => {
    const other = await elsewhere(fixture)
    const tonight = await night(fixture, {
      rules: [
        { on: 'pages.list', pid: 'P1', does: redirect(other.baseUrl, 301) },
        { on: 'events.list', pid: 'P1', does: redirect(other.baseUrl, 307) },
        { on: 'webhooks.list', pid: 'P2', does: redirect(other.baseUrl, 308) },
      ],
    })
    expect(other.requests).toEqual([])
    expectNight(tonight, {
      notComplete: { 'pages P1': 'failed', 'events P1': 'failed', 'webhooks P2': 'failed' },
    })
    return fixture.named(tonight.ran, 3)
  })

  fault('a new warehouse, and permission 0 for every project', async (fixture) => {
    const world = await World.onServer(fixture, { store: forbidden(worldTonight(), 'P1', 'P2', 'P3') })
    const ran = await world.extract(['snapshot'])
    for (const pid of ['P1', 'P2', 'P3'])
      expect(ran.stdout).toMatch(new RegExp(`\\(${pid}\\): .*skipped: .*permission 0`))
    const { tables } = await world.stored()
    expect(tables['projects']?.map(({ pid, permission }) => `${pid} ${permission}`).toSorted()).toEqual([
      'P1 0',
      'P2 0',
      'P3 0',
    ])
    return fixture.named(ran, 3)
  })
})
