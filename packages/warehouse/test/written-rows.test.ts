import { onServer, postgresServer } from '@collab-etl/harness/postgres'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { afterEach, expect, test } from 'vitest'
import type { Run } from '../src/snapshot/run.ts'
import { type Backend, onBackendsInTurn } from './support/backends.ts'
import { ownDatabase } from './support/own-database.ts'
import { page, post, task, user } from './support/records.ts'
import { batch, inRun, live, NO_LIMITS, publishIn, type Streams, snapshot } from './support/snapshot.ts'

const input = (pid: string, name: string): Streams => ({
  tasks: {
    batches: [batch('task', [task('t1', { pid, name, labels: [{ name: 'red', desc: name }] }), task('t2', { pid })])],
  },
  archived_tasks: { batches: [batch('archived_task', [])] },
  pages: {
    batches: [batch('page', name === 'two' ? [page('g1', { pid, name })] : [page('g1', { pid }), page('g2', { pid })])],
  },
  posts: {
    batches: [
      batch(
        'post',
        [post('s1', { pid, name, owner: user(`${pid} ${name}`) })],
        [{ recordKey: 's1', field: 'name', kind: 'coerced', original: '1' }],
      ),
      batch('known_post', [{ pid, post_id: `s ${name}`, source: 'page' }]),
    ],
  },
})

/** What a trigger does to each row of p1, on a table; in SQL of PL/pgSQL. */
const onRows = (schema: string, table: string, does: string, events = 'INSERT OR UPDATE') =>
  `CREATE FUNCTION ${schema}.meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${does} END $$;
   CREATE TRIGGER meddle BEFORE ${events} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.meddle()`

const OF_P1 = (column: string) => `IF NEW.${column} LIKE 'p1%' THEN RETURN NULL; END IF; RETURN NEW;`

onBackendsInTurn('a database that does not write what it is given', (backend) => {
  afterEach(async () => {
    const { schema } = await backend.warehouse()
    await backend.driver.script(
      `DROP FUNCTION IF EXISTS ${schema}.meddle() CASCADE; DROP RULE IF EXISTS nothing ON ${schema}.pages;
       ALTER TABLE ${schema}.pages DROP COLUMN IF EXISTS seen`,
    )
  })

  const { publishAll, reads } = publishingOn(backend)

  testEveryNth(
    [
      ['drops rows of a table', 'tasks', OF_P1('pid')],
      ['drops children', 'task_labels', OF_P1('pid')],
      ['drops versions of the history', 'H.tasks', OF_P1('pid')],
      ['drops users', 'users', OF_P1('uid')],
      ['drops ids of posts', 'known_posts', OF_P1('pid')],
      ['drops conversion issues', 'losses', OF_P1('pid')],
      [
        'drops what is marked deleted',
        'pages',
        "IF NEW.deleted_at IS NOT NULL AND NEW.pid = 'p1' THEN RETURN NULL; END IF; RETURN NEW;",
      ],
      ['changes values', 'pages', "IF NEW.pid = 'p1' THEN NEW.name := upper(NEW.name); END IF; RETURN NEW;"],
      ['raises an error', 'posts', "IF NEW.pid = 'p1' THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW;"],
    ],
    6,
  )('for it %s: that project fails and keeps what it had, another is stored', async (_, table, does) => {
    const warehouse = await backend.warehouse()
    const { schema } = warehouse
    await inRun(warehouse, (run) => publishAll(run, 'one'))
    const before = await reads(schema, 'p1')
    await backend.driver.script(
      onRows(schema, table.startsWith('H.') ? `${schema}_history.${table.slice(2)}` : `${schema}.${table}`, does),
    )
    const [first, second] = await inRun(warehouse, (run) => publishAll(run, 'two'))
    expect(second).toEqual(['complete'])
    expect(first).toEqual(['failed'])
    expect(await reads(schema, 'p1')).toEqual(before)
    await backend.driver.script(`DROP FUNCTION ${schema}.meddle() CASCADE`)
    expect(await inRun(warehouse, (run) => publishAll(run, 'two'))).toEqual([['complete'], ['complete']])
    expect(await live(warehouse, 'tasks', ['pid', 'tid', 'name'])).toContainEqual({ pid: 'p1', tid: 't1', name: 'two' })
  })

  test('a rule instead of the insert fails the project, and says where', async () => {
    const warehouse = await backend.warehouse()
    await backend.driver.script(`CREATE RULE nothing AS ON INSERT TO ${warehouse.schema}.pages DO INSTEAD NOTHING`)
    const { scopes } = await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1')])] } })
    expect(scopes).toMatchObject([
      { status: 'failed', error: { message: expect.stringContaining('pages') }, contentHash: null },
    ])
  })

  test('rows that are missing from the stage fail the project', async () => {
    const warehouse = await backend.warehouse()
    const { schema } = warehouse
    await snapshot(warehouse, input('p1', 'one'))
    await backend.driver.script(onRows(schema, `${schema}_stage."0_tasks"`, 'RETURN NULL;'))
    const { scopes, tables } = await snapshot(warehouse, input('p1', 'two'), { limits: NO_LIMITS })
    expect(new Set(scopes.map(({ status, error }) => [status, error?.code].join(' ')))).toEqual(
      new Set(['failed NOT_STORED']),
    )
    expect(tables).toEqual({})
  })

  test('scopes that cannot be written into the run log end the run', async () => {
    const warehouse = await backend.warehouse()
    const { schema } = warehouse
    await backend.driver.script(onRows(schema, `${schema}.run_scopes`, 'RETURN NULL;'))
    await expect(snapshot(warehouse, input('p1', 'one'))).rejects.toMatchObject({ code: 'NOT_STORED' })
  })

  test('users that cannot be updated fail the run, and the run log says so', async () => {
    const warehouse = await backend.warehouse()
    const { schema } = warehouse
    const seen = (name: string) => ({
      pages: { batches: [batch('page', [page('g1', { owner: user('u1', { name }) })])] },
    })
    await snapshot(warehouse, seen('one'))
    await backend.driver.script(onRows(schema, `${schema}.users`, 'RETURN NULL;', 'UPDATE'))
    await expect(snapshot(warehouse, seen('two'))).rejects.toMatchObject({ code: 'NOT_STORED' })
    expect(await warehouse.log.runs(1)).toMatchObject([{ status: 'failed', error: expect.stringContaining('users') }])
  })

  test('triggers that do not change rows do no harm', async () => {
    const warehouse = await backend.warehouse()
    const { schema } = warehouse
    await backend.driver.script(
      `ALTER TABLE ${schema}.pages ADD COLUMN seen integer; ${onRows(schema, `${schema}.pages`, 'NEW.seen := 1; RETURN NEW;')}`,
    )
    for (const name of ['one', 'three']) {
      const { scopes } = await snapshot(warehouse, input('p1', name))
      expect(new Set(scopes.map(({ status }) => status))).toEqual(new Set(['complete']))
    }
  })
})

function publishingOn(backend: Backend) {
  const pids = ['p1', 'p2']
  return {
    /** How the scopes of each project ended. */
    async publishAll(run: Run, name: string): Promise<string[][]> {
      const ended: string[][] = []
      for (const pid of pids) {
        const { scopes } = await publishIn(run, pid, input(pid, name), NO_LIMITS)
        ended.push([...new Set(scopes.map(({ status }) => status))])
      }
      return ended
    },
    /** What is stored of a project. */
    async reads(schema: string, pid: string): Promise<unknown> {
      const tables = ['tasks', 'task_labels', 'pages', 'posts', 'known_posts']
      const rows = tables.map(
        (table) => `SELECT '${table}', to_jsonb(t)::text FROM ${schema}.${table} t WHERE pid = '${pid}'`,
      )
      return (await backend.driver.query(`${rows.join(' UNION ALL ')} ORDER BY 1, 2`)).rows
    },
  }
}

test.skipIf(postgresServer() === null)(
  'row-level security is refused by runs, reads and queries of a role that it affects',
  async () => {
    const database = await ownDatabase()
    const role = await database.role()
    const [owner, reader] = [await database.warehouse(), await database.warehouse({ url: role.url })]
    await owner.admin.migrate()
    await owner.admin.grantRead(role.name)
    await snapshot(owner, input('p1', 'one'))
    expect(await live(reader, 'tasks', ['tid'])).toHaveLength(2)
    await onServer(database.url, 'ALTER TABLE collab.tasks ENABLE ROW LEVEL SECURITY')
    const refused = {
      code: 'UNSUITABLE',
      message: expect.stringMatching(/row-level security of "?[a-z.]*tasks"? in .*BYPASSRLS/),
    }
    await expect(live(reader, 'tasks', ['tid'])).rejects.toMatchObject(refused)
    await expect(reader.rows.query('SELECT count(*) FROM tasks')).rejects.toMatchObject(refused)
    await using _lock = await reader.runs.lock()
    await expect(reader.runs.begin({ baseUrl: '', toolVersion: '' })).rejects.toMatchObject(refused)
    await expect(reader.runs.beginComparison()).rejects.toMatchObject(refused)
    expect(await live(owner, 'tasks', ['tid'])).toHaveLength(2)
    expect(await live(reader, 'pages', ['page_id'])).toHaveLength(2)
  },
)
