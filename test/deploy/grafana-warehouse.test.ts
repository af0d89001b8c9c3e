import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { freshDatabase, onServer, postgresServer } from '@collab-etl/harness/postgres'
import type {} from '@collab-etl/harness/warehouse-template'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { expandedQuery, expectLayout, readDashboard, typedLines } from './support/dashboards.ts'
import { DEPLOY } from './support/programs.ts'
import { typeErrors } from './support/types.ts'

const DASHBOARD = 'grafana/dashboards/collab-warehouse.json'
const dashboard = () => readDashboard<{ readonly rawSql: string; readonly format: string }>(DASHBOARD)

const MARCH = { from: '2026-03-01T00:00:00Z', to: '2026-03-31T23:59:59Z' }

describe('deploy/grafana: the dashboard on the warehouse', () => {
  test('it has the fields that the types of Grafana know; panels do not overlap', async () => {
    const own = await dashboard()
    expect(await typeErrors(typedLines(own))).toEqual([])
    expectLayout(own)
    expect(own.panels.map(({ type }) => type)).toEqual(expect.arrayContaining(['stat', 'table', 'timeseries']))
  })

  test('compose.yaml gives Grafana what the data source reads, and no password', async () => {
    const [source, compose] = await Promise.all(
      ['grafana/provisioning/datasources/warehouse.yaml', 'compose.yaml'].map(async (path) =>
        parse(await readFile(join(DEPLOY, path), 'utf8'), { merge: true }),
      ),
    )
    const [warehouse] = source.datasources
    const { environment, networks, env_file: files } = compose.services.grafana
    const variables = [...JSON.stringify(warehouse).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)
    expect(variables.filter((name) => !Object.hasOwn(environment, name ?? ''))).toEqual(['WAREHOUSE_PASSWORD'])
    expect(warehouse.secureJsonData.password).toMatch(/^\$\{WAREHOUSE_PASSWORD\}$/)
    expect(files).toEqual([{ path: './secrets/grafana.env', required: false }])
    expect(networks).toContain(compose.services.postgres.networks[0])
    const { templating, uid } = JSON.parse(await readFile(join(DEPLOY, DASHBOARD), 'utf8'))
    expect(templating.list[0].query).toBe(warehouse.type)
    expect(uid).toBe('collab-warehouse')
  })
})

const server = postgresServer()
if (server !== null)
  describe('the queries of the dashboard on the warehouse', () => {
    let database: Awaited<ReturnType<typeof freshDatabase>>
    let client: pg.Client
    const role = `grafana_${process.pid}`
    beforeAll(async () => {
      database = await freshDatabase(server, inject('databaseTemplate') ?? undefined)
      await onServer(database.url, DATA)
      await onServer(server, `CREATE ROLE ${role} LOGIN PASSWORD 'grafana'`)
      const granted = await run('collab-extract', ['init', '--grant-read', role], {
        env: { DATABASE_URL: database.url },
      })
      expect(granted).toMatchObject({ code: 0 })
      const address = Object.assign(new URL(database.url), { username: role, password: 'grafana' })
      client = new pg.Client({ connectionString: address.href })
      await client.connect()
    })
    afterAll(async () => {
      await client.end()
      await database.drop()
      await onServer(server, `DROP ROLE ${role}`)
    })

    /** The rows of a panel, as a role that only reads gets them. */
    async function rows(title: string, project?: string): Promise<unknown[]> {
      const panel = (await dashboard()).panels.find((each) => each.title === title)
      const [target] = panel?.targets ?? []
      if (target === undefined) throw new Error(`no panel ${title}`)
      const found = await client.query(expandedQuery(target.rawSql, { ...MARCH, project }))
      expect(found.fields[0]?.name === 'time', title).toBe(target.format === 'time_series')
      return found.rows.map((row: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value instanceof Date ? value.toISOString().slice(0, 13) : value,
          ]),
        ),
      )
    }

    test('each panel answers a question whose answer is known', async () => {
      const [age] = (await rows('Data as of')) as { age: string }[]
      expect(Number(age?.age)).toBeGreaterThan((Date.now() - Date.parse('2026-03-10T02:00:01Z')) / 1000 - 60)
      expect(await rows('Incomplete scopes')).toEqual([{ scopes: '3' }])
      expect(await rows('Projects')).toEqual([{ projects: '2' }])
      expect(await rows('Open tasks')).toEqual([{ tasks: '3' }])
      expect(await rows('Overdue tasks')).toEqual([{ tasks: '2' }])
      expect(await rows('Completed')).toEqual([{ tasks: '1' }])
      expect((await rows('Open and overdue tasks')).at(-1)).toEqual({ time: '2026-03-10T00', open: '3', overdue: '2' })
      const throughput = (await rows('Throughput')) as { time: string; created: string; completed: string }[]
      expect(throughput.filter(({ created, completed }) => created !== '0' || completed !== '0')).toEqual([
        { time: '2026-03-02T00', created: '3', completed: '0' },
        { time: '2026-03-04T00', created: '1', completed: '1' },
      ])
      expect(await rows('Projects by overdue tasks')).toEqual([
        { Project: 'Alpha', Open: '2', Overdue: '2', Completed: '1', 'Tasks read': '2026-03-10T02' },
        { Project: 'Beta', Open: '1', Overdue: '0', Completed: '0', 'Tasks read': null },
      ])
      expect(await rows('Most overdue tasks')).toMatchObject([
        { Project: 'Alpha', Task: 'Late', Members: 'Ann, Bob', Due: '2026-03-05T12' },
        { Project: 'Alpha', Task: 'Later', Members: '', Due: '2026-03-06T12' },
      ])
      expect(await rows('Lead time')).toEqual([{ time: '2026-03-02T00', 'median hours': 48 }])
      expect(await rows('Rows written by runs')).toEqual([
        { time: '2026-03-10T02', added: '7', changed: '2', deleted: '1' },
      ])
    })

    test('the model for Lightdash in docs/migrate.md has the existing tasks', async () => {
      const page = await readFile(join(DEPLOY, '../docs/migrate.md'), 'utf8')
      const [, model = ''] = /```sql\n(.*?)```/s.exec(page) ?? []
      const sql = model.replace(/\{\{ source\('(\w+)', '(\w+)'\) \}\}/, '$1.$2')
      expect((await client.query(`SELECT count(*) FROM (${sql}) t`)).rows).toEqual([{ count: '4' }])
    })

    test('a run of one project neither makes the data fresh nor hides incomplete scopes', async () => {
      const later = `'20260311T020000000Z-cccccc', now(), now(), 'succeeded', 'http://x', '1', '{"projects":["p1"]}'::jsonb`
      const columns = 'run_id, started_at, finished_at, status, base_url, tool_version, options'
      await onServer(database.url, `INSERT INTO collab.runs (${columns}) VALUES (${later})`)
      const [age] = (await rows('Data as of')) as { age: string }[]
      expect(Number(age?.age)).toBeGreaterThan((Date.now() - Date.parse('2026-03-10T02:00:01Z')) / 1000 - 60)
      expect(await rows('Incomplete scopes')).toEqual([{ scopes: '3' }])
      await onServer(database.url, "DELETE FROM collab.runs WHERE status = 'succeeded'")
    })

    test('with a project chosen, panels on tasks show that project alone', async () => {
      expect(await rows('Open tasks', "'p2'")).toEqual([{ tasks: '1' }])
      expect(await rows('Overdue tasks', "'p2'")).toEqual([{ tasks: '0' }])
      expect(await rows('Projects by overdue tasks', "'p2','none'")).toHaveLength(1)
      expect(await rows('Completed', "'p2'")).toEqual([{ tasks: '0' }])
      const { templating } = (await dashboard()) as unknown as { templating: { list: { query: string }[] } }
      expect((await client.query(templating.list[1]?.query ?? '')).rows).toEqual([
        { __text: 'Alpha', __value: 'p1' },
        { __text: 'Beta', __value: 'p2' },
        { __text: 'Old', __value: 'p3' },
      ])
    })
  })

/** Two projects, one archived and one deleted one; a task completed after 48 hours, two overdue and one open. */
const DATA = `SET search_path = collab;
  INSERT INTO runs (run_id, started_at, finished_at, status, base_url, tool_version, covers_all) VALUES
    ('20260310T020000000Z-aaaaaa', '2026-03-10T02:00:00Z', '2026-03-10T02:10:00Z', 'partial', 'http://x', '1', true),
    ('20260310T030000000Z-bbbbbb', '2026-03-10T03:00:00Z', '2026-03-10T03:10:00Z', 'failed', 'http://x', '1', true);
  INSERT INTO run_scopes (run_id, pid, stream, status, pages, requests, bytes, rows_read, rows_inserted, rows_updated, rows_deleted, started_at, finished_at)
    SELECT '20260310T020000000Z-aaaaaa', pid, 'tasks', status, 1, 1, 1, 1, inserted, updated, deleted, '2026-03-10T02:00:00Z', '2026-03-10T02:10:00Z'
    FROM (VALUES ('p1', 'complete', 5, 2, 1), ('p2', 'failed', 2, 0, 0), ('p3', 'skipped', 0, 0, 0)) v (pid, status, inserted, updated, deleted);
  INSERT INTO run_scopes (run_id, pid, stream, status, error_code, pages, requests, bytes, rows_read, rows_inserted, rows_updated, rows_deleted, started_at, finished_at)
    SELECT '20260310T020000000Z-aaaaaa', pid, stream, 'skipped', code, 0, 0, 0, 0, 0, 0, 0, '2026-03-10T02:00:00Z', '2026-03-10T02:00:00Z'
    FROM (VALUES ('p5', 'tasks', 'ACCESS_LOST'), ('p6', 'tasks', 'NO_PERMISSION'), ('p1', 'events', 'NOT_ALLOWED'), ('p1', 'webhooks', 'NOT_ALLOWED')) v (pid, stream, code);
  INSERT INTO list_readings (pid, stream, read_at) VALUES ('p1', 'tasks', '2026-03-10T02:00:00Z'), ('p1', 'events', '2026-03-09T02:00:00Z');
  INSERT INTO projects (pid, name, archived, valid_from, deleted_at) VALUES ('p1', 'Alpha', false, '2026-03-01T00:00:00Z', NULL),
    ('p2', 'Beta', false, '2026-03-01T00:00:00Z', NULL), ('p3', 'Old', true, '2026-03-01T00:00:00Z', NULL),
    ('p4', 'Gone', false, '2026-03-01T00:00:00Z', '2026-03-10T02:00:00Z');
  INSERT INTO users (uid, name, display_name, valid_from) VALUES ('u1', 'Ann', 'ann', '2026-03-01T00:00:00Z'), ('u2', 'Bob', 'bob', '2026-03-01T00:00:00Z');
  INSERT INTO tasks (pid, tid, name, completed, archived, created_at, due_at, completed_at, valid_from) VALUES
    ('p1', 't1', 'Late', false, false, '2026-03-02T10:00:00Z', '2026-03-05T12:00:00Z', NULL, '2026-03-01T00:00:00Z'),
    ('p1', 't2', 'Later', false, false, '2026-03-02T10:00:00Z', '2026-03-06T12:00:00Z', NULL, '2026-03-01T00:00:00Z'),
    ('p1', 't3', 'Done', true, false, '2026-03-02T10:00:00Z', NULL, '2026-03-04T10:00:00Z', '2026-03-01T00:00:00Z'),
    ('p2', 't4', 'Open', false, false, '2026-03-04T10:00:00Z', NULL, NULL, '2026-03-01T00:00:00Z');
  INSERT INTO task_members (pid, tid, uid, valid_from) VALUES ('p1', 't1', 'u1', '2026-03-01T00:00:00Z'), ('p1', 't1', 'u2', '2026-03-01T00:00:00Z')`
