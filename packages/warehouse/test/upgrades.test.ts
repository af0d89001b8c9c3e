import { expect, test } from 'vitest'
import { grantRead } from '../src/admin/grant.ts'
import { migrate } from '../src/admin/migrate.ts'
import { schemaNames } from '../src/names.ts'
import { ownerOf } from '../src/runs/accounts.ts'
import { RunLog } from '../src/runs/run-log.ts'
import { givenAs } from '../src/tables/columns.ts'
import { createTableReaders, createTables } from '../src/tables/ddl.ts'
import type { LogColumn } from '../src/tables/run-log.ts'
import { DEFINITION, type Definition, inSchema } from '../src/tables/schema.ts'
import type { Table } from '../src/tables/table.ts'
import { UPGRADES, type Upgrade } from '../src/tables/upgrades.ts'
import { onBackendsInTurn } from './support/backends.ts'

const PRIORITY = givenAs('priority', 'smallint', 'how urgent it is: 1 = urgent')

/** The schema with changed columns of tasks, as version 2 of it. */
function changed(columns: (columns: Table['columns']) => Table['columns'], upgrade: Upgrade): Definition {
  const tables = DEFINITION.tables.map((table) =>
    table.name === 'tasks' ? { ...table, columns: columns(table.columns) } : table,
  )
  return { ...DEFINITION, tables, upgrades: [...DEFINITION.upgrades, upgrade] }
}

const WITH_PRIORITY = changed(
  (columns) => [
    PRIORITY,
    ...columns.map((column) => (column.name === 'name' ? { ...column, comment: 'title' } : column)),
  ],
  { adds: { tasks: ['priority'] } },
)
const WITHOUT_DESCRIPTION = changed((columns) => columns.filter(({ name }) => name !== 'description'), {
  alters: { tasks: ['DROP COLUMN description'] },
})

onBackendsInTurn('an upgrade', (backend) => {
  const names = () => schemaNames(backend.schema())

  /** Columns of a relation, in their order, with their comments; or the names of what a function returns. */
  async function columnsOf(relation: string): Promise<unknown[][]> {
    const { rows } = await backend.driver.query(
      `SELECT attname, format_type(atttypid, NULL), col_description(attrelid, attnum) FROM pg_attribute
       WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [relation],
    )
    return rows
  }

  const resultOf = async (signature: string) =>
    (await backend.driver.query('SELECT pg_get_function_result($1::text::regprocedure)', [signature])).rows

  test('that adds a column makes the schema that a new warehouse has, and keeps its rows', async () => {
    const [fresh, old] = [names(), names()]
    await migrate(backend.driver, fresh, WITH_PRIORITY)
    await migrate(backend.driver, old)
    await backend.driver.script(
      `INSERT INTO ${old.main}.tasks (pid, tid, name, valid_from, record_hash) VALUES ('p1', 't1', 'one', '2024-01-01Z', md5('')::uuid)`,
    )
    await backend.driver.script(`CREATE SCHEMA ${old.stage}; CREATE TABLE ${old.stage}.old (a int)`)
    const to = WITH_PRIORITY.upgrades.length + 1
    expect(await migrate(backend.driver, old, WITH_PRIORITY)).toEqual({ from: to - 1, to })
    expect(await migrate(backend.driver, old, WITH_PRIORITY)).toEqual({ from: to, to })
    for (const relation of ['.tasks', '_history.tasks', '.live_tasks', '.task_versions']) {
      const columns = await columnsOf(`${old.name}${relation}`)
      expect(columns).toContainEqual(['priority', 'smallint', PRIORITY.comment])
      expect(columns).toContainEqual(['name', 'text', 'title'])
      expect(columns).toEqual(await columnsOf(`${fresh.name}${relation}`))
    }
    const result = await resultOf(`${old.name}.tasks_as_of(timestamptz)`)
    expect(result).toEqual(await resultOf(`${fresh.name}.tasks_as_of(timestamptz)`))
    expect(String(result)).toContain('priority smallint')
    const { rows } = await backend.driver.query(
      `SELECT a.name, a.priority, t.record_hash, to_regclass('${old.stageName}.old'), (SELECT max(version) FROM ${old.main}.schema_version)
       FROM ${old.main}.tasks_as_of(now()) AS a JOIN ${old.main}.tasks AS t ON t.tid = a.tid`,
    )
    // the hash was of a record without the column, and staging tables were, too
    expect(rows).toEqual([['one', null, null, null, to]])
  })

  test('may add a column to the run log, and change rows', async () => {
    const note: LogColumn = { ...givenAs('note', 'text', 'remark'), notNull: true, standard: "''" }
    const definition: Definition = {
      ...DEFINITION,
      logTables: DEFINITION.logTables.map((table) =>
        table.name === 'known_posts' ? { ...table, columns: [...table.columns, note] } : table,
      ),
      upgrades: [
        ...DEFINITION.upgrades,
        { adds: { known_posts: ['note'] }, statements: ["UPDATE collab.known_posts SET note = 'from before'"] },
      ],
    }
    const schema = names()
    await migrate(backend.driver, schema)
    const insert = (id: string) =>
      backend.driver.script(
        `INSERT INTO ${schema.main}.known_posts (pid, post_id, source, first_seen_at) VALUES ('p1', '${id}', 'flag', now())`,
      )
    await insert('x1')
    await migrate(backend.driver, schema, definition)
    await insert('x2')
    const { rows } = await backend.driver.query(`SELECT post_id, note FROM ${schema.main}.known_posts ORDER BY 1`)
    expect(rows).toEqual([
      ['x1', 'from before'],
      ['x2', ''],
    ])
    expect(await columnsOf(`${schema.name}.known_posts`)).toContainEqual(['note', 'text', 'remark'])
  })

  test('that adds a column keeps views of users, and what was granted', async () => {
    const schema = names()
    // its name reads like that of an object of the schema
    const reader = `"for-collab.${schema.name}"`
    await migrate(backend.driver, schema)
    await backend.driver.script(
      `CREATE VIEW ${schema.main}.own AS SELECT tid, name FROM ${schema.main}.live_tasks;
       REVOKE ALL ON FUNCTION ${schema.main}.tasks_as_of(timestamptz) FROM PUBLIC;
       GRANT EXECUTE ON FUNCTION ${schema.main}.tasks_as_of(timestamptz) TO pg_monitor WITH GRANT OPTION;
       GRANT SELECT ON ${schema.main}.live_tasks TO pg_monitor;
       CREATE ROLE ${reader}; GRANT EXECUTE ON FUNCTION ${schema.main}.tasks_as_of(timestamptz) TO ${reader}`,
    )
    const granted = async () =>
      (
        await backend.driver.query(
          `SELECT c.relacl::text, p.proacl::text FROM pg_class c, pg_proc p
           WHERE c.oid = $1::text::regclass AND p.oid = $2::text::regprocedure`,
          [`${schema.name}.live_tasks`, `${schema.name}.tasks_as_of(timestamptz)`],
        )
      ).rows
    const before = await granted()
    await migrate(backend.driver, schema, WITH_PRIORITY)
    expect(await granted()).toEqual(before)
    expect((await columnsOf(`${schema.name}.own`)).map(([name]) => name)).toEqual(['tid', 'name'])
    await backend.driver.script(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`)
  })

  test('that must drop what a view of a user reads is refused, names it, and changes nothing', async () => {
    const schema = names()
    await migrate(backend.driver, schema)
    await backend.driver.script(`CREATE VIEW ${schema.main}.own AS SELECT tid FROM ${schema.main}.tasks_as_of(now())`)
    const before = await columnsOf(`${schema.name}.tasks`)
    await expect(migrate(backend.driver, schema, WITH_PRIORITY)).rejects.toMatchObject({
      code: 'UNSUITABLE',
      message: expect.stringMatching(
        new RegExp(
          `^schema ${schema.name} cannot be upgraded: view ${schema.name}\\.own depends on function ${schema.name}\\.tasks_as_of\\(.*\\); drop what depends`,
        ),
      ),
    })
    expect(await columnsOf(`${schema.name}.tasks`)).toEqual(before)
    await backend.driver.script(`DROP VIEW ${schema.main}.own`)
    await migrate(backend.driver, schema, WITH_PRIORITY)
  })

  test('that drops a column makes all views anew, with what was granted on them', async () => {
    const schema = names()
    await migrate(backend.driver, schema)
    await backend.driver.script(
      `GRANT SELECT ON ${schema.main}.live_tasks, ${schema.main}.fct_task TO pg_monitor;
       GRANT SELECT (tid), INSERT (tid) ON ${schema.main}.live_tasks TO pg_monitor WITH GRANT OPTION;
       GRANT SELECT (description) ON ${schema.main}.live_tasks TO pg_monitor`,
    )
    const granted = async () =>
      (
        await backend.driver.query(
          `SELECT relname, attname, coalesce(attacl, relacl)::text FROM pg_class LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attacl IS NOT NULL
           WHERE relnamespace = $1::text::regnamespace AND relacl IS NOT NULL AND attname IS DISTINCT FROM 'description' ORDER BY 1`,
          [schema.name],
        )
      ).rows
    const before = await granted()
    await migrate(backend.driver, schema, WITHOUT_DESCRIPTION)
    for (const relation of ['.tasks', '_history.tasks', '.live_tasks'])
      expect((await columnsOf(`${schema.name}${relation}`)).map(([name]) => name)).not.toContain('description')
    expect(await resultOf(`${schema.name}.tasks_as_of(timestamptz)`)).not.toContain('description')
    expect(await granted()).toEqual(before)
  })

  test('whose column no table has, or stored rows cannot have, is a defect', async () => {
    const schema = names()
    await migrate(backend.driver, schema)
    const wrong = changed((columns) => columns, { adds: { tasks: ['priority'] } })
    await expect(migrate(backend.driver, schema, wrong)).rejects.toThrow('tasks.priority, and no table has it')
    const required = { ...DEFINITION, upgrades: [...DEFINITION.upgrades, { adds: { known_posts: ['source'] } }] }
    await expect(migrate(backend.driver, schema, required)).rejects.toThrow('known_posts.source without a default')
  })

  test('to version 4 gives what there was to the account without a name', async () => {
    const schema = names()
    await migrate(backend.driver, schema)
    await backend.driver.script(
      `DROP TABLE ${schema.main}.accounts, ${schema.main}.project_accounts; DELETE FROM ${schema.main}.schema_version;
       INSERT INTO ${schema.main}.schema_version VALUES (3, now());
       ALTER TABLE ${schema.main}.run_scopes DROP COLUMN account;
       ALTER TABLE ${schema.main}.runs DROP COLUMN accounts, ADD COLUMN account_uid text, ADD COLUMN account_name text;
       INSERT INTO ${schema.main}.runs (run_id, started_at, status, base_url, tool_version, account_uid, account_name) VALUES
         ('r1', '2024-01-01Z', 'succeeded', 'x', '1', 'u1', 'User'), ('r2', '2024-01-02Z', 'partial', 'x', '1', NULL, NULL);
       INSERT INTO ${schema.main}.projects (pid, permission, valid_from, deleted_at, only_in_team) VALUES
         ('p1', 31, '2024-01-01Z', NULL, NULL), ('gone', 31, '2024-01-01Z', '2024-01-02Z', NULL), ('team', 0, '2024-01-01Z', NULL, 't1')`,
    )
    expect(await migrate(backend.driver, schema, { ...DEFINITION, upgrades: UPGRADES.slice(0, 4) })).toMatchObject({
      to: 4,
    })
    const log = new RunLog(backend.driver, schema)
    const times = ['2024-01-01T00:00:00.000Z', '2024-01-02T00:00:00.000Z']
    const [first_seen_at, last_seen_at] = times
    expect(await log.accounts()).toEqual([{ account: 'default', uid: 'u1', name: 'User', first_seen_at, last_seen_at }])
    expect(await log.projectAccounts()).toEqual([{ pid: 'p1', account: 'default', permission: 31 }])
    expect(ownerOf((await log.run('r1'))?.run.accounts ?? null)).toEqual({ uid: 'u1', name: 'User' })
    expect(await log.accountsOf('r2')).toBeNull()
    expect((await columnsOf(`${schema.name}.runs`)).map(([name]) => name)).not.toContain('account_uid')
  })

  test('to this version keeps the rows of version 1, and gives the tables of a new warehouse', async () => {
    const [fresh, old] = [names(), names()]
    await migrate(backend.driver, fresh)
    const added = new Set(
      UPGRADES.flatMap(({ adds = {} }) =>
        Object.entries(adds).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
      ),
    )
    const created = new Set(UPGRADES.flatMap(({ creates = [] }) => creates))
    const without = <T extends { readonly name: string; readonly columns: readonly { readonly name: string }[] }>(
      table: T,
    ): T => ({
      ...table,
      columns: table.columns.filter(({ name }) => !added.has(`${table.name}.${name}`)),
    })
    const first: Definition = {
      tables: DEFINITION.tables
        .filter(({ name }) => !created.has(name))
        .map(({ kept, ...table }) => {
          const own = kept?.filter(({ name }) => !added.has(`${table.name}.${name}`))
          return without({ ...table, ...(own && { kept: own }) })
        }),
      logTables: DEFINITION.logTables.filter(({ name }) => !created.has(name)).map(without),
      upgrades: [],
    }
    const reader = `reader_${old.name}`
    const make = [...createTables(first), ...createTableReaders(first)].join(';\n')
    await backend.driver.script(
      `CREATE SCHEMA ${old.main}; CREATE SCHEMA ${old.history}; ${inSchema(make, old)};
       INSERT INTO ${old.main}.schema_version VALUES (1, now());
       INSERT INTO ${old.main}.entries (pid, entry_id, name, valid_from) VALUES ('p1', 'e1', 'Group', '2024-01-01Z');
       INSERT INTO ${old.history}.users (uid, name, valid_from, valid_to) VALUES ('u1', 'User', '2024-01-01Z', '2024-02-01Z');
       INSERT INTO ${old.main}.runs (run_id, started_at, status, base_url, tool_version) VALUES ('r1', '2024-01-01Z', 'succeeded', 'x', '1');
       CREATE ROLE ${reader}`,
    )
    await grantRead(backend.driver, old, reader)
    await migrate(backend.driver, old)
    for (const { name } of [...DEFINITION.tables, ...DEFINITION.logTables]) {
      expect(await columnsOf(`${old.name}.${name}`)).toEqual(await columnsOf(`${fresh.name}.${name}`))
    }
    for (const { name } of DEFINITION.tables) {
      expect(await columnsOf(`${old.name}_history.${name}`)).toEqual(await columnsOf(`${fresh.name}_history.${name}`))
      expect(await columnsOf(`${old.name}.live_${name}`)).toEqual(await columnsOf(`${fresh.name}.live_${name}`))
    }
    const { rows } = await backend.driver.query(
      `SELECT e.name, e.position, u.name, u.email, r.capabilities, has_table_privilege($1, $2 || '.task_comments', 'SELECT'),
         has_function_privilege($1, $2 || '.teams_as_of(timestamptz)', 'EXECUTE')
       FROM ${old.main}.entries_as_of(now()) e, ${old.main}.users_as_of('2024-01-15Z') u, ${old.main}.runs r`,
      [reader, old.name],
    )
    expect(rows).toEqual([['Group', null, 'User', null, null, true, true]])
    await backend.driver.script(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`)
  })
})
