import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData } from './data.ts'

const page = await readFile(join(import.meta.dirname, '../../../../docs/warehouse.md'), 'utf8')
/** The ten questions are answered in `models.test.ts`. */
const examples = [...page.replace(/^## Ten questions\n[\s\S]*?(?=^## )/m, '').matchAll(/```sql\n(.*?)```/gs)].flatMap(
  ([, sql]) => (sql === undefined ? [] : [sql]),
)

onBackendsInTurn('the page for analysts', (backend) => {
  const given = analysisData(backend)

  const views = async () =>
    (
      await given.data.select(
        `SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'SCHEMA' AND c.relkind = 'v' ORDER BY 1`,
      )
    ).map(({ name }) => String(name))

  test('lists every view', async () => {
    const named = (name: string) => (name.startsWith('live_') ? 'live_<table>' : name)
    expect((await views()).filter((name) => !page.includes(`\`${named(name)}\``))).toEqual([])
    expect(await views()).toEqual(expect.arrayContaining(['event_calendar', 'member_workload', 'overdue_tasks']))
  })

  test('every view about projects names them, but those that have the columns of a table', async () => {
    const nameless = await given.data.select(
      `SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'pid'
       WHERE n.nspname = 'SCHEMA' AND c.relkind = 'v' AND c.relname !~ '^live_|_versions$|^dim_project$'
         AND NOT EXISTS (SELECT FROM pg_attribute b WHERE b.attrelid = c.oid AND b.attname = 'project_name')`,
    )
    expect(nameless).toEqual([])
    const at = '2024-02-01T00:00:00Z'
    await given.data.addRuns([at])
    await given.data.add('projects', [{ name: 'Project', valid_from: at }])
    const done = { completed: true, completed_at: at, created_at: at, valid_from: at }
    await given.data.add('tasks', [{ ...done, tid: 't1' }])
    await given.data.add('events', [{ event_id: 'v1', name: 'Talk', starts_at: at, recurrence: 1 }])
    for (const view of [
      ...['changes', 'event_calendar', 'project_activity', 'project_first_seen'],
      ...['task_completions', 'task_cycle_times', 'task_status_daily'],
    ]) {
      const names = await given.data.select(`SELECT DISTINCT project_name FROM SCHEMA.${view}`)
      expect([view, names]).toEqual([view, [{ project_name: 'Project' }]])
    }
  })

  test.each(examples)('its example runs and finds something: %s', async (sql) => {
    const { data } = given
    const now = Date.now()
    const at = (days: number) => new Date(now + days * 86_400_000).toISOString()
    const task = { completed: false, created_at: at(-20), valid_from: at(-15), due_at: at(-5) }
    const done = { ...task, completed: true, completed_at: at(-11), valid_from: at(-10) }
    await data.addRuns([at(-15), at(-10), at(-1)])
    await data.add('projects', [{ name: 'Project', valid_from: at(-15) }])
    await data.add('users', [{ uid: 'u1', name: 'Ann', valid_from: at(-15) }])
    await data.addPast(
      'tasks',
      ['t1', 't2'].map((tid) => ({ ...task, tid, valid_to: at(-10) })),
    )
    await data.add('tasks', [
      { ...task, tid: 't1', due_at: at(-2), valid_from: at(-10) },
      { ...done, tid: 't2' },
    ])
    await data.add('task_members', [
      { tid: 't1', uid: 'u1' },
      { tid: 't2', uid: 'u1' },
    ])
    await data.add('pages', [{ page_id: 'g1', name: 'Page', created_at: at(-9), updated_at: at(-8) }])
    await data.add('events', [{ event_id: 'v1', name: 'Talk', starts_at: at(-3), recurrence: 1 }])
    const { rows } = await data.warehouse.rows.query(sql.replaceAll(/\bcollab\./g, `${data.warehouse.schema}.`))
    expect(rows.length).toBeGreaterThan(0)
  })
})
