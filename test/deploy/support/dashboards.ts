import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { DEPLOY } from './programs.ts'

/** A panel of a dashboard, with queries of the kind that its data source reads. */
interface Panel<Target> {
  readonly id: number
  readonly type: string
  readonly options: object
  readonly fieldConfig: { readonly defaults: { readonly custom?: object } }
  readonly title: string
  readonly description: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly (Target & { readonly refId: string })[]
}

export interface Dashboard<Target> {
  readonly uid: string
  readonly panels: readonly Panel<Target>[]
}

/** Reads a dashboard of `deploy`. */
export async function readDashboard<Target extends object>(path: string): Promise<Dashboard<Target>> {
  return JSON.parse(await readFile(join(DEPLOY, path), 'utf8')) as Dashboard<Target>
}

/** The expressions of a dashboard on Prometheus, for all instances. */
export async function expressionsOf(path: string): Promise<{ title: string; expr: string }[]> {
  const { panels } = await readDashboard<{ readonly expr: string }>(path)
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$instance', '.*') })),
  )
}

/** A query of a panel with what Grafana puts in place of its macros and variables; `project` is `pid` for all projects. */
export function expandedQuery(sql: string, { from, to, project = 'pid' }: QueryContext): string {
  return sql
    .replaceAll(/\$__timeFilter\(([\w.]+)\)/g, `$1 BETWEEN '${from}' AND '${to}'`)
    .replaceAll('$__timeFrom()', `'${from}'`)
    .replaceAll('$__timeTo()', `'${to}'`)
    .replaceAll('$project', project)
}

/** What the panels of the dashboard on the warehouse show of all times, by title. @throws if a statement fails */
export async function warehouseDashboard(databaseUrl: string): Promise<Map<string, Record<string, unknown>[]>> {
  const { panels } = await readDashboard<{ readonly rawSql: string }>('grafana/dashboards/collab-warehouse.json')
  const range = { from: '2000-01-01T00:00:00Z', to: new Date(Date.now() + 60_000).toISOString() }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('SET search_path TO collab')
    const found = new Map<string, Record<string, unknown>[]>()
    for (const { title, targets } of panels) {
      for (const { rawSql } of targets) found.set(title, (await client.query(expandedQuery(rawSql, range))).rows)
    }
    return found
  } finally {
    await client.end()
  }
}

interface QueryContext {
  readonly from: string
  readonly to: string
  readonly project?: string | undefined
}

/** Panels are described, have ids and queries of their own, and do not overlap. */
export function expectLayout({ panels }: Dashboard<object>): void {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  for (const { title, description, gridPos, targets } of panels) {
    expect(description, title).not.toBe('')
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length)
  }
}

/** The types of the options, and of the fields, of the kinds of panels. */
const PANEL_TYPES: Readonly<Record<string, readonly [module: string, fields: string]>> = {
  stat: ['stat/panelcfg/x/StatPanelCfg_types.gen', 'object'],
  'state-timeline': ['statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen', 'FieldConfig'],
  table: ['table/panelcfg/x/TablePanelCfg_types.gen', 'FieldConfig'],
  timeseries: ['timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen', 'FieldConfig'],
}

/** A module that gives a dashboard and its panels their types. */
export function typedLines(own: Dashboard<object>): string[] {
  return [
    // values of an enumeration are written as their texts
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a type of TypeScript
    'type Json<T> = T extends string ? `${T}` : T extends readonly (infer U)[] ? Json<U>[] : T extends object ? { [K in keyof T]: Json<T[K]> } : T',
    `export const dashboard: Json<import('@grafana/schema').Dashboard> = ${JSON.stringify(own)}`,
    ...own.panels.flatMap(({ id, type, options, fieldConfig: { defaults } }) => {
      const [name = type, fields = ''] = PANEL_TYPES[type] ?? []
      const module = `import('@grafana/schema/dist/esm/raw/composable/${name}')`
      const custom = fields === 'object' ? fields : `Json<${module}.FieldConfig>`
      return [
        `export const options${id}: Json<${module}.Options> = ${JSON.stringify(options)}`,
        `export const custom${id}: ${custom} = ${JSON.stringify(defaults.custom ?? {})}`,
      ]
    }),
  ]
}
