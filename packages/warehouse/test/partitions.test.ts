import { testThoroughly } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Driver } from '../src/driver/driver.ts'
import { schemaNames } from '../src/names.ts'
import { createStageTable, isOfProject, type ShapeName, shapeOf } from '../src/staging/shape.ts'
import { createTables } from '../src/tables/ddl.ts'
import { TABLES } from '../src/tables/index.ts'
import { createReaders } from '../src/tables/objects.ts'
import { DEFINITION } from '../src/tables/schema.ts'
import { Warehouse } from '../src/warehouse.ts'
import { type Backend, emptied, onPostgres } from './support/backends.ts'
import { everything } from './support/everything.ts'
import { runScript } from './support/history-run.ts'
import { step } from './support/history-states.ts'
import { Service } from './support/history-telling.ts'
import { overridingTransactions } from './support/overriding.ts'
import { page, task, user } from './support/records.ts'
import { readSharding } from './support/sharding.ts'
import {
  batch,
  compared,
  inRun,
  live,
  liveColumn,
  NO_LIMITS,
  publishIn,
  type Streams,
  snapshot,
} from './support/snapshot.ts'
import { READY_SCHEMA } from './support/templates.ts'

const NAMES = schemaNames('collab')

/** Staging tables whose rows are joined with those of tables that are distributed. */
const STAGED: readonly ShapeName[] = [
  ...TABLES.filter(isOfProject).map(({ name }) => name),
  'unseen',
  'known_posts',
  'known_files',
]

/** A table in two parts: rows of one project, and all others. Rows of both have the same positions (`ctid`). */
function partsOf(table: string): string {
  const part = table.replaceAll(/[."]/g, '_')
  return `CREATE TABLE parts.${part}_p1 PARTITION OF ${table} FOR VALUES IN ('p1');
    CREATE TABLE parts.${part}_others PARTITION OF ${table} DEFAULT;`
}

/** Makes the schema `collab`, in which each table that the page distributes by project is partitioned by project, those of staging too. */
async function partitioned({ driver }: Backend): Promise<Warehouse> {
  const { distributed } = await readSharding()
  const byPid = new Set(distributed.filter(({ column }) => column === 'pid').map(({ table }) => table))
  const tables = createTables(DEFINITION).map((statement) => {
    const table = /^CREATE TABLE (\S+)/.exec(statement)?.[1]
    return table !== undefined && byPid.has(table)
      ? `${statement} PARTITION BY LIST (pid); ${partsOf(table)}`
      : statement
  })
  const staging = STAGED.map((name) => {
    const table = `${NAMES.stage}."0_${name}"`
    return `${createStageTable(`parts.model_${name}`, shapeOf(name).columns)};
      CREATE TABLE ${table} (LIKE parts.model_${name}) PARTITION BY LIST (pid); ${partsOf(table)}`
  })
  const schema = [...tables, 'SET search_path = collab', ...(await createReaders(DEFINITION)), 'RESET search_path']
  await driver.script(`CREATE SCHEMA parts; CREATE SCHEMA collab; CREATE SCHEMA collab_history; CREATE SCHEMA ${NAMES.stage};
    ${schema.join(';')}; ${staging.join(';')};
    INSERT INTO collab.schema_version SELECT * FROM ${READY_SCHEMA}.schema_version`)
  return new Warehouse(driver, NAMES)
}

/** A driver that notes which parts of other projects than `p1` each transaction has used: those that it has locked. */
function watchingParts(driver: Driver, used: Set<string>): Driver {
  return overridingTransactions(driver, async (connection, work) => {
    const result = await work(connection)
    const { rows } = await connection.query(
      `SELECT c.relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
       WHERE l.pid = pg_backend_pid() AND c.relnamespace = 'parts'::regnamespace AND c.relname LIKE '%_others'`,
    )
    for (const [name] of rows) used.add(String(name))
    return result
  })
}

onPostgres('tables that are partitioned by project', (backend) => {
  let parted: Warehouse
  let plain: Warehouse

  beforeAll(async () => {
    plain = await backend.warehouse()
    parted = await partitioned(backend)
  })

  testThoroughly(
    'have the same rows as plain ones after any history',
    async () => {
      // not every history has tasks of both
      const filled = { p1: false, others: false }
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async (steps) => {
          for (const each of [plain, parted]) await emptied(each, backend.driver)
          const service = new Service()
          for (const each of steps) {
            for (const script of [service.next(each), service.whole(each)]) {
              for (const warehouse of [plain, parted]) await runScript(backend, warehouse, script)
              expect(await stored(parted)).toEqual(await stored(plain))
            }
          }
          const { rows } = await backend.driver.query(
            `SELECT EXISTS (SELECT FROM parts.collab_tasks_p1), EXISTS (SELECT FROM parts.collab_tasks_others),
             (SELECT relkind = 'p' FROM pg_class WHERE oid = '${NAMES.stage}."0_tasks"'::regclass)`,
          )
          const [inP1, inOthers, isStagePartitioned] = rows[0] ?? []
          expect(isStagePartitioned).toBe(true)
          filled.p1 ||= inP1 === true
          filled.others ||= inOthers === true
        }),
        { seed: 2, numRuns: 20, endOnFailure: true },
      )
      expect(filled).toEqual({ p1: true, others: true })
    },
    600_000,
  )

  test('are described, complete and read as plain ones', async () => {
    expect(await parted.admin.missingObjects()).toEqual([])
    const described = async (warehouse: Warehouse) =>
      (await warehouse.admin.describe()).objects.map(({ name, columns }) => [name, columns.length])
    expect(await described(parted)).toEqual(await described(plain))
    const read = async (warehouse: Warehouse) => {
      const rows = await live(warehouse, 'tasks', ['pid', 'tid', 'name'])
      const { projects } = await warehouse.rows.projectVersions(['tasks'])
      return { rows, projects: [...projects.keys()].sort() }
    }
    expect(await read(parted)).toEqual(await read(plain))
  })

  testThoroughly('are published and compared by statements that use the parts of one project', async () => {
    await emptied(parted, backend.driver)
    const used = new Set<string>()
    const watched = new Warehouse(watchingParts(backend.driver, used), NAMES)
    const others = Array.from({ length: 40 }, (_, n) => task(`o${n}`, { members: [user('u1')] }))
    const whole: Streams = { ...everything(), tasks: { batches: [batch('task', others)] } }
    // few of them changed; one came twice, one is in both lists, and others show other names of their group and project
    const otherProject = { pid: 'p1', name: 'Other', pic: 'p.png', bg: 'blue' }
    const few = [task('o0', { name: 'new' }), task('t3'), task('o1', { name: 'again' })]
    const named = [task('o2', { entry_name: 'Renamed' }), task('o3', { project: otherProject })]
    const changed: Streams = {
      ...everything(),
      tasks: { batches: [batch('task', [...others.slice(1), ...few, ...named])] },
      pages: { batches: [batch('page', [])] },
      posts: { batches: [batch('not_found_post', [{ post_id: 's1' }])] },
    }
    const partial: Streams = { tasks: { batches: [batch('task', few)], status: 'partial' } }
    for (const streams of [everything(), whole, changed, partial, everything()]) {
      await inRun(watched, async (run) => {
        used.clear()
        await publishIn(run, 'p1', streams, NO_LIMITS)
        expect([...used]).toEqual([])
      })
    }
    used.clear()
    // projects that only teams show are compared in all projects
    const { teams: _, ...ofProject } = changed
    await compared(watched, ofProject)
    expect([...used]).toEqual([])
  })

  test('staging tables of an older version, filled or not, are made again', async () => {
    await emptied(plain, backend.driver)
    await snapshot(plain, everything())
    const table = `${schemaNames(READY_SCHEMA).stage}."0_pages"`
    await backend.driver.script(
      `ALTER TABLE ${table} DROP COLUMN pid; INSERT INTO ${table} (page_id, _seq) VALUES ('left', 0)`,
    )
    await snapshot(plain, { pages: { batches: [batch('page', [page('g1'), page('g3')])] } }, { limits: NO_LIMITS })
    expect(await liveColumn(plain, 'pages', 'page_id')).toEqual(['g1', 'g3'])
  })

  test('are read again if one part has a trigger that changes rows', async () => {
    await backend.driver.script(
      `CREATE FUNCTION parts.renamed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := 'renamed'; RETURN NEW; END $$;
       CREATE TRIGGER renamed BEFORE INSERT ON parts.collab_pages_p1 FOR EACH ROW EXECUTE FUNCTION parts.renamed()`,
    )
    const pages = { pages: { batches: [batch('page', [page('new')])] } }
    const { scopes } = await snapshot(parted, pages, { limits: NO_LIMITS })
    expect(scopes).toMatchObject([{ status: 'failed', error: { code: 'NOT_STORED' } }])
  })

  /** All rows of a warehouse, with runs by their numbers in place of their ids and times. */
  async function stored({ schema }: Warehouse): Promise<Record<string, string[]>> {
    const { driver } = backend
    const runs = await driver.query(
      `SELECT run_id, to_jsonb(started_at) #>> '{}' FROM ${schema}.runs ORDER BY started_at`,
    )
    const numbers = new Map(runs.rows.flatMap((names, index) => names.map((name) => [String(name), `run ${index}`])))
    const others = ['known_posts', 'known_files', 'run_scopes', 'losses', 'unread_items', 'list_readings']
    const tables = [
      ...[...TABLES.map(({ name }) => name), ...others].map((name) => `${schema}.${name}`),
      ...TABLES.map(({ name }) => `${schema}_history.${name}`),
    ]
    const found: Record<string, string[]> = {}
    for (const table of tables) {
      const { rows } = await driver.query(`SELECT to_jsonb(t)::text FROM ${table} t`)
      found[table.slice(schema.length)] = rows
        .map(([row]) => String(row).replaceAll(/"([^"]*)"/g, (text, name) => numbers.get(name) ?? text))
        .sort()
    }
    return found
  }
})
