/** @module-tag thorough */

import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { settingsOf } from '../support/warehouse.ts'
import { copyOfWarehouseBefore, EVERY_NIGHT, SMALL_PAGES } from './night-before.ts'
import { showWorld, worldBefore } from './world.ts'

const TEAM = {
  team_id: 'M1',
  name: 'Team',
  url: 'team',
  desc: '',
  visibility: 1,
  created_at: '2020-01-01T00:00:00.000Z',
}

const PROBE = 1
const PROJECTS = 3
const FOLDERS = 1

/** The requests besides those for documented operations. Three requests are for the only team; one of each kind is its probe, too. */
const BESIDE = {
  'entries.list': PROBE + PROJECTS,
  'events.get': PROBE,
  'files.list': PROBE + PROJECTS + FOLDERS,
  'pages.get': PROBE,
  'posts.list': PROBE + PROJECTS,
  'profile.get': PROBE,
  'projects.members.list': PROBE + PROJECTS,
  'tasks.comments.list': PROBE,
  'tasks.get': PROBE,
  'teams.get': 1,
  'teams.list': PROBE,
  'teams.members.list': 1,
  'teams.projects.list': 1,
}

fault('every operation is offered and nothing changed: one request for each list', async (fixture) => {
  const world = worldBefore()
  world.changeTeams((teams) => teams.push(TEAM))
  const warehouse = await copyOfWarehouseBefore(fixture)
  const service = await showWorld(fixture, world, { ...EVERY_NIGHT, extended: true })
  // one after the other: what is found out about paging in the first project saves requests in the next one
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_CONCURRENCY: '1', ...settingsOf(warehouse) }
  /** Runs a snapshot, and counts its requests by operation. */
  const snapshot = async (extended: 'auto' | 'off') => {
    service.clearRequests()
    const ran = await fixture.run('collab-extract', ['snapshot', '--extended', extended, ...SMALL_PAGES], { env })
    const byOperation = Map.groupBy(service.requests, ({ operation }) => operation ?? 'none')
    return { ran, counts: [...byOperation].map(([operation, { length }]) => [operation, length] as const) }
  }
  // it finds all posts and files, which the next ones read
  await snapshot('auto')
  const documented = Object.fromEntries((await snapshot('off')).counts)
  const { counts, ran } = await snapshot('auto')
  expect(Object.fromEntries(counts)).toEqual({ ...documented, ...BESIDE })
  return fixture.cured(ran)
})
