import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { STREAMS } from '@collab-etl/contract/streams'
import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { expectedTables, type NotComplete, type Tables } from './expected.ts'
import { gateway, redirect, serviceError, value } from './hostile-service/answers-amiss.ts'
import { READS } from './hostile-service/everywhere.ts'
import type { Project, World } from './hostile-service/records.ts'
import { HostileService } from './hostile-service/server.ts'
import { projectOf, worldBefore, worldTonight } from './hostile-service/world.ts'
import { expectNight, night } from './night.ts'
import { emptyWarehouse, settingsOf } from './night-before.ts'
import type { WorldRow } from './rows-of-world.ts'
import { type Stored, storedIn } from './stored.ts'

type Listed = Project['listed'][]

const ALL_BUT_ITS_DETAIL = {
  'tasks P2': 'failed',
  'archived_tasks P2': 'failed',
  'pages P2': 'failed',
  'posts P2': 'partial',
  'events P2': 'failed',
  'webhooks P2': 'failed',
} as const

/** No post of it could be read. */
const isPostOfP2 = ({ pid, stream }: WorldRow) => pid === 'P2' && stream === 'posts'

const EVERYTHING_OF_P2 = { ...ALL_BUT_ITS_DETAIL, 'projects P2': 'failed' } as const

/** Every stream of these projects. */
function skipped(...pids: string[]): NotComplete {
  return Object.fromEntries(pids.flatMap((pid) => STREAMS.map((stream) => [`${stream} ${pid}`, 'skipped' as const])))
}

/** The rows of these projects combine the list with their earlier details. */
function fromList(...pids: string[]): (tables: Tables) => void {
  return ({ projects = [] }) => {
    for (const row of projects.filter(({ pid }) => pids.includes(String(pid)))) {
      const { listed } = projectOf(worldTonight(), String(row['pid']))
      Object.assign(row, { description: listed.desc, permission: 0 })
    }
  }
}

/** The own row of a project has the description of the list. */
function listedText(pid: string): (tables: Tables) => void {
  const { listed } = projectOf(worldTonight(), pid)
  return ({ projects = [] }) =>
    Object.assign(projects.find((row) => row['pid'] === pid) ?? {}, { description: listed.desc })
}

/** Not in the list, so that values that only the list has are those of the night before. */
function unlisted(pids: readonly string[], since: unknown): (tables: Tables) => void {
  const before = expectedTables({ before: worldBefore(), tonight: worldBefore() })['projects'] ?? []
  return ({ projects = [] }) => {
    for (const row of projects.filter(({ pid }) => pids.includes(String(pid)))) {
      const was = before.find(({ pid }) => pid === row['pid']) ?? {}
      for (const name of ['is_starred', 'position', 'member_count', 'curr_role', 'permission']) row[name] = was[name]
      row['unlisted_since'] = since
    }
  }
}

/** All rows of a project are unchanged. */
function asBefore(pid: string): (tables: Tables) => void {
  const before = expectedTables({ before: worldBefore(), tonight: worldBefore() })
  return (tables) => {
    for (const [table, rows] of Object.entries(tables)) {
      const own = before[table]?.filter((row) => row['pid'] === pid) ?? []
      tables[table] = [...rows.filter((row) => row['pid'] !== pid), ...own]
    }
  }
}

/** The stored projects that are not in the list, and since when. */
function notListed({ tables }: Stored): { readonly pids: unknown[]; readonly since: unknown[] } {
  const rows = (tables['projects'] ?? []).filter((row) => row['unlisted_since'] !== null)
  return { pids: rows.map(({ pid }) => pid).toSorted(), since: [...new Set(rows.map((row) => row['unlisted_since']))] }
}

fault(
  {
    category: 'service',
    name: 'empty project list',
    does: 'the list of projects is suddenly empty',
    holds: 'the run is rejected before it reads anything else; no row is deleted',
  },
  async (fixture) => {
    const { ran, requests, stored } = await night(fixture, { rules: [{ on: 'projects', does: value(() => []) }] })
    expect(requests).toEqual(['projects'])
    expect(stored.status, 'the run of the night before').toBe('succeeded')
    expect(stored.tables['projects']).toHaveLength(worldBefore().projects.length)
    return fixture.refused(ran)
  },
)

/** The list without some projects. */
function without(...pids: string[]) {
  return { on: 'projects', does: value((listed: Listed) => listed.filter(({ pid }) => !pids.includes(pid))) } as const
}

/** The token has no permission in these projects. */
function forbidden(world: World, ...pids: string[]): World {
  for (const pid of pids) projectOf(world, pid).listed.permission = 0
  return world
}

fault(
  {
    category: 'service',
    name: 'most projects missing',
    does: 'the list has one of three projects, and the service answers 400004 for the others',
    holds: 'the listed project is stored; the deletion guard keeps the others unchanged and names `--allow-shrink`',
  },
  async (fixture) => {
    const missing = ['P2', 'P3'].map((pid) => ({ on: READS, pid, does: serviceError(400004, 404) }))
    const tonight = await night(fixture, { rules: [without('P2', 'P3'), ...missing] })
    const known = {
      ...tonight.tonight,
      projects: [projectOf(tonight.tonight, 'P1'), ...worldBefore().projects.slice(1)],
    }
    expectNight(tonight, { tonight: known, notComplete: { 'projects -': 'refused' } })
    expect(tonight.ran.stdout).toContain('2 of 3 projects would be marked deleted')
    expect(tonight.ran.stdout).toContain('--allow-shrink')
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'projects missing from the list',
    does: 'the list has one of three projects, and the others can still be read',
    holds: 'the others are read and not deleted; their `unlisted_since` is set',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: [without('P2', 'P3')] })
    const { pids, since } = notListed(tonight.stored)
    expect(pids).toEqual(['P2', 'P3'])
    expect(since).toHaveLength(1)
    expect(JSON.parse(tonight.ran.stdout)).toMatchObject({ unlisted: ['P2', 'P3'], rows: { projects: { deleted: 0 } } })
    expectNight(tonight, { except: unlisted(['P2', 'P3'], since[0]) })
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'lost access to a project',
    does: 'a project is missing from the list, and every operation on it answers 403, 404 without the code for "does not exist", or 500',
    holds: 'none of these proves a deletion: the project is named, and its rows are unchanged',
  },
  async (fixture) => {
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
  },
)

fault(
  {
    category: 'service',
    name: 'half a list',
    does: 'most of the pages and of the webhooks of a project are missing from otherwise valid answers',
    holds: 'the deletion guard stops both scopes: new records are stored, no row is deleted',
  },
  async (fixture) => {
    const world = worldTonight()
    const project = projectOf(world, 'P1')
    project.pages.splice(1, 2)
    project.webhooks = []
    const tonight = await night(fixture, { rules: [], world })
    expectNight(tonight, { notComplete: { 'pages P1': 'refused', 'webhooks P1': 'refused' } })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'lost permission',
    does: 'the list shows permission 0 for one project, then for all projects',
    holds: 'the run is partial and names them; their contents are unchanged, their own rows come from the list',
  },
  async (fixture) => {
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
  },
)

fault(
  {
    category: 'service',
    name: 'no readable project',
    does: 'on a new warehouse, the list shows permission 0 for every project',
    holds: 'the run is partial and names each project; each has its row from the list',
  },
  async (fixture) => {
    const place = await emptyWarehouse(fixture)
    const world = forbidden(worldTonight(), 'P1', 'P2', 'P3')
    await using service = await HostileService.start({ world, token: fixture.token })
    const env = { COLLAB_BASE_URL: service.baseUrl, ...settingsOf(place) }
    const ran = await fixture.run('collab-extract', ['snapshot'], { env })
    for (const pid of ['P1', 'P2', 'P3'])
      expect(ran.stdout).toMatch(new RegExp(`\\(${pid}\\): .*skipped: .*permission 0`))
    const { tables } = await storedIn(place)
    expect(tables['projects']?.map(({ pid, permission }) => `${pid} ${permission}`).toSorted()).toEqual([
      'P1 0',
      'P2 0',
      'P3 0',
    ])
    return fixture.named(ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'forbidden project',
    does: 'every operation of one project answers 403 with an undocumented code',
    holds: 'its own row comes from the list, its other rows are unchanged; the other projects are complete',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: [{ on: READS, pid: 'P2', does: serviceError(100007, 403) }] })
    const status = Object.keys(EVERYTHING_OF_P2).map((scope) => [scope, scope === 'posts P2' ? 'partial' : 'skipped'])
    expectNight(tonight, { notComplete: Object.fromEntries(status), isUnread: isPostOfP2, except: listedText('P2') })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'deleted project',
    does: 'a listed project no longer exists when it is read (400004)',
    holds: 'it is marked deleted with all its records; the others are complete',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: [{ on: READS, pid: 'P2', does: serviceError(400004, 404) }] })
    expectNight(tonight, {
      notComplete: skipped('P2'),
      except: (tables) => {
        for (const [table, rows] of Object.entries(tables)) tables[table] = rows.filter(({ pid }) => pid !== 'P2')
      },
    })
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'project deleted while it is read',
    does: 'the detail of a project is answered, all later requests with 400004',
    holds: 'the missing parts are unchanged and named',
  },
  async (fixture) => {
    const later = READS.filter((name) => name !== 'project')
    const tonight = await night(fixture, { rules: [{ on: later, pid: 'P2', does: serviceError(400004, 404) }] })
    expectNight(tonight, { notComplete: ALL_BUT_ITS_DETAIL, isUnread: isPostOfP2 })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'token revoked during the run',
    does: 'from the archive of one project on, the service rejects the token (100006)',
    holds: 'the run stops; each project is entirely new or unchanged',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [{ on: 'archived', pid: 'P1', where: ({ page }) => page === '2', does: serviceError(100006, 400) }],
    })
    expectNight(tonight, { status: 'failed' })
    return fixture.named(tonight.ran, 4)
  },
)

for (const [who, does] of [
  ['a proxy, with HTML', gateway(401)],
  ['the service, with an undocumented code', serviceError(999_999, 401)],
] as const) {
  fault(
    {
      category: 'service',
      name: `HTTP 401 in mid-run from ${who}`,
      does: 'from the archive of one project on every answer is a 401',
      holds: 'the run stops after one such answer; each project is entirely new or unchanged',
    },
    async (fixture) => {
      const tonight = await night(fixture, {
        rules: [{ on: 'archived', pid: 'P1', where: ({ page }) => page === '2', does }],
      })
      expectNight(tonight, { status: 'failed' })
      return fixture.named(tonight.ran, 4)
    },
  )
}

/** Another server, which records its requests. */
async function elsewhere(fixture: Fixture): Promise<HostileService> {
  return HostileService.start({ world: worldTonight(), token: fixture.token })
}

fault(
  {
    category: 'service',
    name: 'redirects',
    does: 'pages, events and webhooks are redirected (301, 307, 308) to another server that would answer them',
    holds: 'no redirect is followed; the scopes failed and are unchanged',
  },
  async (fixture) => {
    await using other = await elsewhere(fixture)
    const tonight = await night(fixture, {
      rules: [
        { on: 'pages', pid: 'P1', does: redirect(other.baseUrl, 301) },
        { on: 'events', pid: 'P1', does: redirect(other.baseUrl, 307) },
        { on: 'webhooks', pid: 'P2', does: redirect(other.baseUrl, 308) },
      ],
    })
    expect(other.requests).toEqual([])
    expectNight(tonight, {
      notComplete: { 'pages P1': 'failed', 'events P1': 'failed', 'webhooks P2': 'failed' },
    })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'redirects that repeat the token',
    does: 'the token is sent in the URL, and the list of projects redirects to the same URL on another host',
    holds: 'it is not followed, the URL is not printed, the run failed, and nothing changed',
  },
  async (fixture) => {
    await using other = await elsewhere(fixture)
    const tonight = await night(fixture, {
      rules: [{ on: 'projects', does: redirect(other.baseUrl) }],
      args: ['--token-in', 'query'],
    })
    expect(other.requests).toEqual([])
    expectNight(tonight, { status: 'failed' })
    return fixture.named(tonight.ran, 1)
  },
)
