import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { schemaNames } from '../src/names.ts'
import { TABLES } from '../src/tables/index.ts'
import { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsOfSlowTests } from './support/backends.ts'
import { type Explained, explainedDriver } from './support/explained.ts'
import { user } from './support/records.ts'
import { batchOf, NO_LIMITS, type Streams, snapshot } from './support/snapshot.ts'

const TASKS = 3000
const CHANGED = 30
/** Tables that hold `ROWS` rows of each task. */
const LISTS = ['task_labels', 'task_todos', 'task_members', 'task_watchers'] as const
const ROWS = 2
/** Statements that read all tasks of the project: for their hashes, before they are written, to write them, and after that. */
const WHOLE = 4
/** Nodes of a plan that a row in a list of a changed task passes at most in one statement: 9. */
const NODES = 15

/** A project in which so many of the tasks have a new name. */
function project(tasks: number, changed = 0): Streams {
  const ids = Array.from({ length: tasks }, (_, index) => `t${index}`)
  const people = [user('u1'), user('u2')]
  const all = batchOf('task', ids, (tid) => ({
    name: Number(tid.slice(1)) < changed ? 'changed' : 'as it was',
    labels: ['red', 'blue'].map((name) => ({ name, desc: null })),
    todos: ['d1', 'd2'].map((todo_id) => ({ todo_id, name: todo_id, checked: 0 as const, pos: 1 })),
    members: people,
    watchers: people,
  }))
  return { tasks: { batches: [all] }, archived_tasks: { batches: [batchOf('archived_task', [])] } }
}

interface Filling {
  store(pid: string, streams: Streams): Promise<unknown>
  analyze(): Promise<unknown>
}

/** Stores the project, so that the planner knows this of its rows. */
const STATISTICS: Readonly<Record<string, (filling: Filling) => Promise<unknown>>> = {
  'without statistics': ({ store }) => store('p1', project(TASKS)),
  'with statistics from before the project was stored': async ({ store, analyze }) => {
    await store('p2', project(TASKS))
    await analyze()
    await store('p1', project(TASKS))
  },
  'with statistics from when all rows were marked deleted': async ({ store, analyze }) => {
    await store('p1', project(TASKS))
    await store('p1', project(0))
    await analyze()
    await store('p1', project(TASKS))
  },
  'with current statistics': async ({ store, analyze }) => {
    await store('p1', project(TASKS))
    await analyze()
  },
}

onBackendsOfSlowTests('few changed tasks among many', (backend) => {
  for (const [index, [name, fill]] of Object.entries(STATISTICS).entries()) {
    const define = index === 0 ? test : testThoroughly
    define(`lists of other tasks are not read, ${name}`, async () => {
      const { warehouse, statements } = await withoutAutovacuum(backend)
      const tables = TABLES.map((table) => `${warehouse.schema}.${table.name}`).join(', ')
      const store = (pid: string, streams: Streams) => snapshot(warehouse, streams, { pid, limits: NO_LIMITS })
      await fill({ store, analyze: () => backend.driver.script(`ANALYZE ${tables}`) })
      statements.length = 0
      const { tables: counts } = await store('p1', project(TASKS, CHANGED))
      expect(counts).toMatchObject({ tasks: { updated: CHANGED } })
      const ofTasks = of(statements, warehouse, 'tasks')
      expect(ofTasks.flatMap(({ sql, loops }) => (loops ? [sql] : []))).toEqual([])
      const whole = ofTasks.flatMap(({ sql, rows }) => (rows >= TASKS ? [sql] : []))
      expect(whole.length, whole.join('\n\n')).toBeLessThanOrEqual(WHOLE)
      for (const list of LISTS) {
        const ofList = of(statements, warehouse, list)
        expect(ofList.length).toBeGreaterThan(1)
        for (const { sql, rows } of ofList) expect(rows, sql).toBeLessThan(NODES * ROWS * CHANGED)
      }
    })
  }
})

/** The statements that refer to a table. */
function of(statements: readonly Explained[], { schema }: Warehouse, table: string): Explained[] {
  return statements.filter(({ sql }) => sql.includes(`"${schema}"."${table}" `))
}

/** A warehouse whose statistics are gathered on request only, and the statements that it runs. */
async function withoutAutovacuum(backend: Backend): Promise<{ warehouse: Warehouse; statements: Explained[] }> {
  const statements: Explained[] = []
  const warehouse = new Warehouse(explainedDriver(backend.driver, statements), schemaNames(backend.schema()))
  await warehouse.admin.migrate()
  const off = TABLES.map(({ name }) => `ALTER TABLE ${warehouse.schema}.${name} SET (autovacuum_enabled = false)`)
  await backend.driver.script(off.join(';'))
  return { warehouse, statements }
}
