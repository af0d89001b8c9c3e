import type { Connection } from '../driver/driver.ts'
import { sqlState } from '../driver/postgres-error.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { isOfProject } from '../staging/shape.ts'
import { TABLES } from '../tables/index.ts'
import type { Table, TableName } from '../tables/table.ts'
import type { StagedTask } from './staged-context.ts'

/*
 * Rows are inserted into an empty table a third faster without its primary key and our other indexes, which are added again in the same
 * transaction. This needs an exclusive lock, which is requested without waiting and for all tables together, so that transactions do not deadlock. Other sessions that
 * use the tables wait until the project is published. If the transaction fails, its rollback restores the key.
 */

/** For fewer rows the gain is too small to make other projects wait. */
const MIN_ROWS = 10_000

const LOCK_NOT_AVAILABLE = '55P03'

/** The definition of a primary key: its name, and `PRIMARY KEY (…)`. */
interface PrimaryKey {
  readonly name: string
  readonly definition: string
  /** Our other indexes of the table: their names, and `CREATE INDEX …`. */
  readonly indexes: readonly (readonly [name: string, definition: string])[]
}

/** Our indexes are named after the table and one of these columns. Those of users stay. */
const INDEXED_COLUMNS = ['valid_from', 'entry_id', 'due_at', 'updated_at', 'uid']

/** Primary keys that were dropped and must be added again, by table. */
export type DroppedKeys = Map<TableName, PrimaryKey>

/** The tables that receive many rows of this project and have never had any. Must be called before the transaction. */
export async function emptyTables(connection: Connection, { schema, scopes }: StagedTask): Promise<TableName[]> {
  const rows = ({ name }: Table) => scopes.reduce((sum, { staged }) => sum + (staged.get(name) ?? 0), 0)
  const tables = TABLES.filter((table) => isOfProject(table) && table.shared !== true && rows(table) >= MIN_ROWS)
  const names = tables.map(({ name }) => name)
  return names.length === 0 ? [] : [...(await droppableKeys(connection, schema, names, false)).keys()]
}

/** Drops the keys of tables that are empty for every session, unless another session uses one of them. Must come first in a transaction. */
export async function dropKeys(connection: Connection, schema: SchemaNames, names: TableName[]): Promise<DroppedKeys> {
  if (names.length === 0 || !(await lock(connection, schema, names))) return new Map()
  const keys = await droppableKeys(connection, schema, names, true)
  for (const [table, { name, indexes }] of keys) {
    const drops = indexes.map(([index]) => `DROP INDEX ${schema.main}.${quoted(index)};`)
    await connection.script(
      `${drops.join(' ')} ALTER TABLE ${schema.main}.${quoted(table)} DROP CONSTRAINT ${quoted(name)}`,
    )
  }
  return keys
}

/** Adds the key and the indexes of a table again, if they were dropped. */
export async function addKey(
  connection: Connection,
  schema: SchemaNames,
  keys: DroppedKeys,
  table: TableName,
): Promise<void> {
  const key = keys.get(table)
  if (key === undefined) return
  const constraint = `${quoted(key.name)} ${key.definition}`
  const indexes = key.indexes.map(([, definition]) => `; ${definition}`)
  await connection.script(`ALTER TABLE ${schema.main}.${quoted(table)} ADD CONSTRAINT ${constraint}${indexes.join('')}`)
  keys.delete(table)
}

async function lock(connection: Connection, schema: SchemaNames, names: readonly TableName[]): Promise<boolean> {
  const tables = names.map((name) => `${schema.main}.${quoted(name)}`).join(', ')
  await connection.script('SAVEPOINT first_load')
  try {
    await connection.script(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE NOWAIT`)
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    await connection.script('ROLLBACK TO SAVEPOINT first_load')
    return false
  }
  await connection.script('RELEASE SAVEPOINT first_load')
  return true
}

/**
 * The keys that can be dropped and restored exactly. Their tables occupy no page, so that no session sees a row in them. The user added
 * nothing that belongs to the key or relies on it, and nothing that reacts to rows or to changes of tables.
 * @param isLocked whether this session has locked the tables. Otherwise definitions are missing: Postgres fails to write the one of an index that
 *   another session drops meanwhile
 */
async function droppableKeys(
  connection: Connection,
  schema: SchemaNames,
  names: readonly TableName[],
  isLocked: boolean,
): Promise<DroppedKeys> {
  const { rows } = await connection.query(
    `SELECT c.relname, k.conname, CASE WHEN $4 THEN pg_get_constraintdef(k.oid) END, CASE WHEN $4 THEN (
       SELECT json_agg(json_build_array(o.relname, pg_get_indexdef(o.oid)) ORDER BY o.relname)
       FROM pg_index j JOIN pg_class o ON o.oid = j.indexrelid
       WHERE j.indrelid = c.oid AND NOT (j.indisunique OR j.indisreplident OR j.indisclustered) AND j.indisvalid
         AND o.relname = ANY (SELECT c.relname || '_' || unnest($3::text[])) AND o.reloptions IS NULL AND o.reltablespace = 0
         AND obj_description(o.oid, 'pg_class') IS NULL
         AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = o.oid)
     ) END
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
       JOIN pg_index i ON i.indexrelid = k.conindid JOIN pg_class x ON x.oid = k.conindid
     WHERE n.nspname = $1 AND c.relname = ANY ($2::text[]) AND c.relkind = 'r' AND pg_relation_size(c.oid) = 0
       AND NOT (c.relhastriggers OR c.relhasrules OR c.relhassubclass OR c.relispartition)
       AND NOT (i.indisreplident OR i.indisclustered OR k.condeferrable)
       AND x.reloptions IS NULL AND x.reltablespace = 0 AND current_setting('default_tablespace') = ''
       AND obj_description(k.oid, 'pg_constraint') IS NULL AND obj_description(x.oid, 'pg_class') IS NULL
       AND pg_has_role(c.relowner, 'USAGE') AND NOT EXISTS (SELECT FROM pg_event_trigger WHERE evtenabled <> 'D')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.deptype <> 'i' AND (
         d.refclassid = 'pg_constraint'::regclass AND d.refobjid = k.oid OR d.refclassid = 'pg_class'::regclass AND d.refobjid = x.oid))`,
    [schema.name, names, INDEXED_COLUMNS, isLocked],
  )
  const found = new Map(
    rows.map(([table, name, definition, indexes]) => [
      String(table),
      { name: String(name), definition, indexes: (indexes ?? []) as PrimaryKey['indexes'] }, // as the statement builds it
    ]),
  )
  return new Map(
    names.flatMap((table) => {
      const key = found.get(table)
      return key === undefined ? [] : [[table, { ...key, definition: String(key.definition) }]]
    }),
  )
}
