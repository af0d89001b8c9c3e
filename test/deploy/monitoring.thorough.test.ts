/** @module-tag thorough */

import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Night } from '@collab-etl/observability'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../apps/nightly/test/world.ts'
import { expressionsOf, warehouseDashboard } from './support/dashboards.ts'
import { DEPLOY, NOT_INSTALLED, ran } from './support/programs.ts'
import { type Prometheus, startPrometheus } from './support/prometheus.ts'

/*
 * Four nights of one job, whose metrics are those of four machines in one Prometheus: the first is whole, the second partial, the third has a
 * damaged backup and a token that is not accepted, the settings of the fourth are refused.
 */

let world: World
let nights: readonly Night[]
/** The metrics file after each night. */
const pages: Record<string, string> = {}
let prometheus: Prometheus | null = null

/** Same size and times: only reading the file shows it. */
async function damage(path: string): Promise<void> {
  const [text, { atime, mtime }] = [await readFile(path, 'latin1'), await stat(path)]
  await writeFile(path, text.replace('p', 'q'), 'latin1')
  await utimes(path, atime, mtime)
}

async function night(name: string, env: Record<string, string> = {}): Promise<number | null> {
  const { code } = await world.night(['--quiet'], { env })
  pages[name] = await world.read('collab.prom')
  return code
}

beforeAll(async () => {
  world = await openWorld(() => ({ formats: ['csv'], metrics_file: 'collab.prom', report: 'www' }))
  const { sandbox } = world
  const [pid = ''] = sandbox.pids
  sandbox.store.change(pid, ({ pages: [page] }) => {
    if (page !== undefined) page.name = 'a\0b'
  })
  const codes = [await night('whole')]
  expect((await world.night(['drill'])).code).toBe(0)
  pages['whole'] = await world.read('collab.prom')
  sandbox.store.change(pid, ({ tasks }) => {
    tasks.pop()
  })
  sandbox.faults.add({ kind: 'error', operation: 'pages.list', where: { pid }, times: 'always' })
  codes.push(await night('partial'))
  sandbox.faults.clear()
  await damage(join(world.path, 'b/latest/data/csv/posts.csv'))
  codes.push(await night('damaged', { COLLAB_TOKEN: 'a-wrong-token' }))
  codes.push(await night('refused', { COLLAB_BASE_URL: sandbox.baseUrl.replace('127.0.0.1', 'localhost') }))
  expect(codes).toEqual([0, 3, 4, 2])
  nights = await world.nights()
  const isInstalled = (await ran('prometheus', ['--version'])) !== null
  if (isInstalled) prometheus = await startPrometheus(pages, join(DEPLOY, 'prometheus/alerts.yaml'))
}, 300_000)

afterAll(async () => {
  await prometheus?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

describe('real nights', () => {
  test('every expression of the dashboard has data', async ({ skip }) => {
    if (prometheus === null) return skip(NOT_INSTALLED)
    const without: string[] = []
    for (const { title, expr } of await expressionsOf('grafana/dashboards/collab-etl.json')) {
      if ((await prometheus.query(expr)).length === 0) without.push(`${title}: ${expr}`)
    }
    expect(without).toEqual([])
  })

  test('raise the alerts of their own machine, and no rule fails', async ({ skip }) => {
    if (prometheus === null) return skip(NOT_INSTALLED)
    expect(await prometheus.failedRules()).toEqual([])
    const firing = (await prometheus.query('ALERTS{alertstate="firing"}')).map(
      ({ metric: { instance, alertname } }) => `${instance} ${alertname}`,
    )
    expect(firing.sort()).toEqual([
      ...['damaged CollabBackupDamaged', 'damaged CollabRunFailed'],
      // the earlier backup is still damaged
      ...['refused CollabBackupDamaged', 'refused CollabRunFailed'],
    ])
  })

  test('have reasons that are messages', () => {
    const reasons = nights.flatMap(({ steps }) => steps.flatMap(({ name, reason }) => (reason ? [[name, reason]] : [])))
    expect(reasons.filter(([, reason]) => reason?.includes('exit code'))).toEqual([])
    expect(nights[1]?.steps.map(({ name, status, reason }) => [name, status, reason])).toEqual([
      ['snapshot', 'partial', expect.stringMatching(/^pages of .+ failed \(/)],
      ['backup', 'partial', expect.stringMatching(/^pages of .+ failed/)],
      ['verify', 'ok', null],
      ['report', 'ok', null],
    ])
    expect(nights[3]?.steps.map(({ name, exit_code: code, reason }) => [name, code, reason])).toEqual([
      ['snapshot', 2, expect.stringContaining('localhost')],
      ['backup', null, expect.any(String)],
      ['verify', 5, expect.stringMatching(/is damaged/)],
      ['report', 3, expect.stringContaining('its last run read http://127.0.0.1:')],
    ])
  })

  test('have a report on their own warehouse, also without the token file', async () => {
    const ran = await world.night(['--quiet'], { env: { COLLAB_TOKEN: '', COLLAB_TOKEN_FILE: 'gone' } })
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^[^\n]*Damaged, until removed[^\n]*\n[^\n]*token file[^\n]*\n$/),
    })
    const last = (await world.nights()).at(-1)
    expect(last?.steps.at(-1)).toMatchObject({ name: 'report', status: 'ok', reason: null })
    const page = await world.read('www/index.html')
    // of the changes by project, which are in the warehouse
    expect(page.includes('Of the run that began on <time')).toBe(true)
  })

  test('fill the warehouse on which every statement of its dashboard runs', async ({ skip }) => {
    const url = world.warehouse['DATABASE_URL']
    if (url === undefined) return skip('there is no Postgres server')
    const found = await warehouseDashboard(url)
    expect([...found].filter(([, rows]) => rows.length === 0).map(([title]) => title)).toEqual([])
    expect(found.get('Projects')).toEqual([{ projects: '2' }])
    expect(found.get('Incomplete scopes')).toEqual([{ scopes: '1' }])
    expect(found.get('Rows written by runs')).toHaveLength(2)
  })
})
