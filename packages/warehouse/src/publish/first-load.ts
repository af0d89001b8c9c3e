import type { Table, TableName } from '../convert/table.ts'
import type { Connection } from '../driver/driver.ts'
import { sqlState } from '../driver/postgres-error.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { isOfProject } from '../staging/shape.ts'
import { TABLES } from '../tables/index.ts'
import type { StagedTask } from './staged-context.ts'

/*
 * Rows are inserted into an empty table a third faster without its primary key, which is added again in the same transaction. That takes an
 * exclusive lock: it is taken at once, for all tables, or not at all, so that no transaction waits for another in a circle. Others that read
 * or write the table wait until this project is published. A failure brings the key back with the rest of the transaction.
 */

/** Fewer rows take no longer with the key, and would not be worth the wait of other projects. */
const MIN_ROWS = 10_000

const LOCK_NOT_AVAILABLE = '55P03'

/** A primary key as its table is defined: its name, and `PRIMARY KEY (…)`. */
interface PrimaryKey {
  readonly name: string
  readonly definition: string
}

/** Keys that were dropped and must be added again, by table. */
export type DroppedKeys = Map<TableName, PrimaryKey>

/** The tables that get many rows of this project and have never had any. To be called before the transaction. */
export async function emptyTables(connection: Connection, { schema, scopes }: StagedTask): Promise<TableName[]> {
  const rows = ({ name }: Table) => scopes.reduce((sum, { staged }) => sum + (staged.get(name) ?? 0), 0)
  const tables = TABLES.filter((table) => isOfProject(table) && table.shared !== true && rows(table) >= MIN_ROWS)
  const names = tables.map(({ name }) => name)
  return names.length === 0 ? [] : [...(await droppableKeys(connection, schema, names)).keys()]
}

/** Drops the keys of tables that are empty for everybody, unless another session uses one of them. To be called first in a transaction. */
export async function dropKeys(connection: Connection, schema: SchemaNames, names: TableName[]): Promise<DroppedKeys> {
  if (names.length === 0 || !(await lock(connection, schema, names))) return new Map()
  const keys = await droppableKeys(connection, schema, names)
  for (const [table, { name }] of keys) {
    await connection.script(`ALTER TABLE ${schema.main}.${quoted(table)} DROP CONSTRAINT ${quoted(name)}`)
  }
  return keys
}

/** Adds the key of a table again, if it was dropped. */
export async function addKey(
  connection: Connection,
  schema: SchemaNames,
  keys: DroppedKeys,
  table: TableName,
): Promise<void> {
  const key = keys.get(table)
  if (key === undefined) return
  const constraint = `${quoted(key.name)} ${key.definition}`
  await connection.script(`ALTER TABLE ${schema.main}.${quoted(table)} ADD CONSTRAINT ${constraint}`)
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
 * The keys that can be dropped and made again just as they are: of tables without any page, so that no session sees a row of them, and to
 * which no one has added anything that belongs to the key or relies on it, or that may act on rows or on changed tables.
 */
async function droppableKeys(
  connection: Connection,
  schema: SchemaNames,
  names: readonly TableName[],
): Promise<DroppedKeys> {
  const { rows } = await connection.query(
    `SELECT c.relname, k.conname, pg_get_constraintdef(k.oid)
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
    [schema.name, names],
  )
  const found = new Map(rows.map(([table, name, definition]) => [String(table), { name: String(name), definition }]))
  return new Map(
    names.flatMap((table) => {
      const key = found.get(table)
      return key === undefined ? [] : [[table, { name: key.name, definition: String(key.definition) }]]
    }),
  )
}
