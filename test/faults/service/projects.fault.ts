import { expect } from 'vitest'
import { fault } from '../frame/fault.ts'
import type { Ground } from '../frame/ground.ts'
import { redirect, serviceError, value } from './hostile-service/answers-amiss.ts'
import { READS } from './hostile-service/everywhere.ts'
import type { Project } from './hostile-service/records.ts'
import { HostileService } from './hostile-service/server.ts'
import { projectOf, worldBefore, worldTonight } from './hostile-service/world.ts'
import { expectNight, night } from './night.ts'

type Listed = Project['listed'][]

const ALL_BUT_ITS_DETAIL = {
  'tasks P2': 'failed',
  'archived_tasks P2': 'failed',
  'pages P2': 'failed',
  'posts P2': 'failed',
  'events P2': 'failed',
  'webhooks P2': 'failed',
} as const

const EVERYTHING_OF_P2 = { ...ALL_BUT_ITS_DETAIL, 'projects P2': 'failed' } as const

/** Of files none are known, so that there is nothing that could fail. */
const SKIPPED = Object.fromEntries(
  [...Object.keys(EVERYTHING_OF_P2), 'files P2'].map((scope) => [scope, 'skipped' as const]),
)

fault(
  {
    room: 'service',
    name: 'no projects at all',
    does: 'the list of projects is suddenly empty',
    holds: 'the run is refused before anything else is read, nothing is deleted',
  },
  async (ground) => {
    const { ran, requests, stored } = await night(ground, { rules: [{ on: 'projects', does: value(() => []) }] })
    expect(requests).toEqual(['projects'])
    expect(stored.status, 'the run of the night before').toBe('succeeded')
    expect(stored.tables['projects']).toHaveLength(worldBefore().projects.length)
    return ground.refused(ran)
  },
)

fault(
  {
    room: 'service',
    name: 'most projects are missing',
    does: 'the list of projects holds one of three',
    holds: 'that one is stored, the list is refused: the others are as they were',
  },
  async (ground) => {
    const tonight = await night(ground, {
      rules: [{ on: 'projects', does: value((listed: Listed) => listed.slice(0, 1)) }],
    })
    const known = {
      ...tonight.tonight,
      projects: [projectOf(tonight.tonight, 'P1'), ...worldBefore().projects.slice(1)],
    }
    expectNight(tonight, { tonight: known, notComplete: { 'projects -': 'refused' } })
    return ground.named(tonight.ran, 3)
  },
)

fault(
  {
    room: 'service',
    name: 'half a list',
    does: 'most of the pages and of the webhooks of a project are missing from otherwise good answers',
    holds: 'both scopes are refused: what is new is stored, nothing is deleted',
  },
  async (ground) => {
    const world = worldTonight()
    const project = projectOf(world, 'P1')
    project.pages.splice(1, 2)
    project.webhooks = []
    const tonight = await night(ground, { rules: [], world })
    expectNight(tonight, { notComplete: { 'pages P1': 'refused', 'webhooks P1': 'refused' } })
    return ground.named(tonight.ran, 3)
  },
)

fault(
  {
    room: 'service',
    name: 'no permission any more',
    does: 'the list says that the token may do nothing in one project (permission 0)',
    holds: 'the project is skipped, its rows are as they were',
  },
  async (ground) => {
    const world = worldTonight()
    projectOf(world, 'P2').listed.permission = 0
    const tonight = await night(ground, { rules: [], world })
    expectNight(tonight, { notComplete: SKIPPED })
    return ground.cured(tonight.ran)
  },
)

fault(
  {
    room: 'service',
    name: 'forbidden, in one project',
    does: 'every operation of one project answers 403 with a code that is documented nowhere',
    holds: 'all its scopes failed, its rows are as they were; the other projects are whole',
  },
  async (ground) => {
    const tonight = await night(ground, { rules: [{ on: READS, pid: 'P2', does: serviceError(100007, 403) }] })
    expectNight(tonight, { notComplete: EVERYTHING_OF_P2 })
    return ground.named(tonight.ran, 3)
  },
)

fault(
  {
    room: 'service',
    name: 'a project vanishes',
    does: 'a listed project does not exist any more when it is read (400004)',
    holds: 'the service says so itself: it is marked deleted with all it held, the others are whole',
  },
  async (ground) => {
    const tonight = await night(ground, { rules: [{ on: READS, pid: 'P2', does: serviceError(400004, 404) }] })
    expectNight(tonight, {
      notComplete: SKIPPED,
      except: (tables) => {
        for (const [table, rows] of Object.entries(tables)) tables[table] = rows.filter(({ pid }) => pid !== 'P2')
      },
    })
    return ground.cured(tonight.ran)
  },
)

fault(
  {
    room: 'service',
    name: 'a project vanishes half read',
    does: 'a project is there when its detail is read, and is said not to exist (400004) by everything after that',
    holds: 'what could not be read failed and stays as it was',
  },
  async (ground) => {
    const later = READS.filter((name) => name !== 'project')
    const tonight = await night(ground, { rules: [{ on: later, pid: 'P2', does: serviceError(400004, 404) }] })
    expectNight(tonight, { notComplete: ALL_BUT_ITS_DETAIL })
    return ground.named(tonight.ran, 3)
  },
)

fault(
  {
    room: 'service',
    name: 'the token is revoked in mid-run',
    does: 'from the archive of one project on the token is not accepted any more (100006)',
    holds: 'everything stops, projects are wholly new or wholly as they were, none is half',
  },
  async (ground) => {
    const tonight = await night(ground, {
      rules: [{ on: 'archived', pid: 'P1', where: ({ page }) => page === '2', does: serviceError(100006, 400) }],
    })
    expectNight(tonight, { status: 'failed' })
    return ground.named(tonight.ran, 4)
  },
)

/** Another server, which keeps what it is sent. */
async function elsewhere(ground: Ground): Promise<HostileService> {
  return HostileService.start({ world: worldTonight(), token: ground.token })
}

fault(
  {
    room: 'service',
    name: 'redirects elsewhere',
    does: 'pages, events and webhooks answer with redirects (301, 307, 308) to another server, which would give them',
    holds: 'nobody goes there, with the token or without; the scopes failed and stay as they were',
  },
  async (ground) => {
    await using other = await elsewhere(ground)
    const tonight = await night(ground, {
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
    return ground.named(tonight.ran, 3)
  },
)

fault(
  {
    room: 'service',
    name: 'redirects that repeat the token',
    does: 'the token travels in the address, and the list of projects redirects to the same address elsewhere',
    holds: 'nobody goes there, the address is told nowhere, the run failed and nothing is changed',
  },
  async (ground) => {
    await using other = await elsewhere(ground)
    const tonight = await night(ground, {
      rules: [{ on: 'projects', does: redirect(other.baseUrl) }],
      args: ['--token-in', 'query'],
    })
    expect(other.requests).toEqual([])
    expectNight(tonight, { status: 'failed' })
    return ground.named(tonight.ran, 1)
  },
)
