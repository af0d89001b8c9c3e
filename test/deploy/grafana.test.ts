import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { expectLayout, expressionsOf, readDashboard, typedLines } from './support/dashboards.ts'
import { metricsText } from './support/metrics.ts'
import { DEPLOY, NOT_INSTALLED, ran } from './support/programs.ts'
import { typeErrors } from './support/types.ts'

const DASHBOARD = 'grafana/dashboards/collab-etl.json'

describe('deploy/grafana', () => {
  test('the dashboard shows every metric of the job, and no other one', async () => {
    const exported = [...(await metricsText()).matchAll(/^# TYPE (collab_\w+) /gm)].map(([, name]) => name)
    const shown = (await expressionsOf(DASHBOARD)).flatMap(({ expr }) => expr.match(/collab_\w+/g) ?? [])
    // the end of the last run is that of the last backup, unless it failed: exit code and age of the last whole run say so
    const indirect = ['collab_run_timestamp_seconds', 'collab_run_success', 'collab_backup_timestamp_seconds']
    expect(exported.length).toBeGreaterThan(14)
    expect([...new Set([...shown, ...indirect])].sort()).toEqual([...exported].sort())
  })

  test('the dashboard has the fields that the types of Grafana know, and their values', async () => {
    const own = await readDashboard<object>(DASHBOARD)
    expect(await typeErrors(typedLines(own))).toEqual([])
    const mistaken = JSON.parse(JSON.stringify(own).replace('"graphTooltip"', '"graphTooltips"'))
    expect((await typeErrors(typedLines(mistaken))).join('\n')).toMatch(/graphTooltips"?' does not exist/)
  })

  test('every expression is PromQL', async ({ skip }) => {
    await using scratch = await scratchDirectory()
    const all = await expressionsOf(DASHBOARD)
    const rules = all.map(({ expr }, index) => ({ record: `collab:panel_${index}`, expr }))
    await writeFile(join(scratch.path, 'rules.yaml'), stringify({ groups: [{ name: 'dashboard', rules }] }))
    const checked = await ran('promtool', ['check', 'rules', 'rules.yaml'], scratch.path)
    if (checked === null) skip(NOT_INSTALLED)
    expect(checked).toContain(`SUCCESS: ${all.length} rules found`)
  })

  test('panels are described, have ids and queries of their own, and do not overlap', async () => {
    const own = await readDashboard<object>(DASHBOARD)
    expect(own.uid).toBe('collab-etl')
    expectLayout(own)
  })

  test('the provisioning files name the directory and the address that compose.yaml gives Grafana', async () => {
    const [sources, dashboards, compose] = await Promise.all(
      [
        'grafana/provisioning/datasources/prometheus.yaml',
        'grafana/provisioning/dashboards/collab-etl.yaml',
        'compose.yaml',
      ].map(async (path) => parse(await readFile(join(DEPLOY, path), 'utf8'), { merge: true })),
    )
    const { volumes, environment } = compose.services.grafana
    const [provider] = dashboards.providers
    expect(volumes).toContain(`./grafana/dashboards:${provider.options.path}:ro`)
    expect(volumes).toContain('./grafana/provisioning:/etc/grafana/provisioning:ro')
    const [, variable = ''] = /^\$\{(\w+)\}$/.exec(sources.datasources[0].url) ?? []
    expect(environment).toHaveProperty(variable, 'http://prometheus:9090')
    expect(environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(
      `${provider.options.path}/${DASHBOARD.split('/').at(-1)}`,
    )
  })
})
