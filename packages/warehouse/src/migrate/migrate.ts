import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import Postgrator from 'postgrator'
import { type Connection, type Driver, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { refuseReserved, type SchemaNames } from '../names.ts'

const SQL_DIRECTORY = fileURLToPath(new URL('../../sql', import.meta.url))

/** An arbitrary number, the same in every version of this tool. */
const MIGRATION_LOCK_CLASS = 0x636f6c6d

/** The highest version among the migrations that come with this tool. */
export async function supportedVersion(): Promise<number> {
  const versions = (await readdir(SQL_DIRECTORY)).map((file) => Number.parseInt(file, 10))
  return Math.max(0, ...versions.filter((version) => !Number.isNaN(version)))
}

/** The version of the schema in the database; 0 when there is none. */
export function schemaVersion(driver: Driver, schema: SchemaNames): Promise<number> {
  return migrator(driver, schema).getDatabaseVersion()
}

/**
 * Brings the schema to the version of this tool: all migrations in one transaction, under a lock, so that of two processes
 * that start at once the second finds it done.
 * @param to default: the version of this tool; tests of upgrades make earlier ones
 */
export async function migrate(driver: Driver, schema: SchemaNames, to?: number): Promise<{ from: number; to: number }> {
  const target = to ?? (await supportedVersion())
  return await driver.transaction(async (connection) => {
    await lockMigrations(connection, schema)
    const postgrator = migrator(connection, schema)
    const from = await postgrator.getDatabaseVersion()
    refuseNewer(from, target, driver, schema)
    if (from === target) return { from, to: target }
    if (from === 0) {
      refuseReserved(schema)
      await refuseEncoding(connection, driver.location)
    }
    await refuseWarehouses(connection, schema)
    // staging tables have the columns of the version before
    await connection.script(`DROP SCHEMA IF EXISTS ${schema.stage} CASCADE`)
    await connection.script(`CREATE SCHEMA IF NOT EXISTS ${schema.main}`)
    // the files name tables without a schema, so that they are plain SQL
    await connection.script(`SET LOCAL search_path = ${schema.main}`)
    await postgrator.migrate(String(target))
    return { from, to: target }
  })
}

/** Keeps every other process from changing this schema's definition until the transaction ends. */
export async function lockMigrations(connection: Connection, schema: SchemaNames): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock($1::integer, hashtext($2))', [MIGRATION_LOCK_CLASS, schema.name])
}

export function refuseNewer(found: number, supported: number, driver: Driver, schema: SchemaNames): void {
  if (found <= supported) return
  throw new WarehouseError(
    'SCHEMA_NEWER',
    `schema ${schema.name} in ${driver.location} has version ${found}, this tool knows ${supported}: use the newer version of the tool`,
  )
}

/** The schemas for history and staging may be warehouses of that name, made by an earlier version. */
async function refuseWarehouses(connection: Connection, schema: SchemaNames): Promise<void> {
  const { rows } = await connection.query(
    "SELECT table_schema::text FROM information_schema.tables WHERE table_schema IN ($1, $2) AND table_name = 'schema_version'",
    [schema.historyName, schema.stageName],
  )
  const [taken] = rows.flat()
  if (taken === undefined) return
  throw new WarehouseError(
    'BAD_SCHEMA_NAME',
    `the schema ${schema.name} cannot be made or migrated: it needs the schema ${taken}, which is a warehouse itself; choose another --schema`,
  )
}

/** With any other encoding, some texts cannot be stored, searched or compared. */
async function refuseEncoding(connection: Connection, location: string): Promise<void> {
  const { rows } = await connection.query('SELECT getdatabaseencoding()')
  const encoding = String(rows[0]?.[0])
  if (encoding === 'UTF8') return
  throw new WarehouseError(
    'UNSUITABLE',
    `the database ${location} has the encoding ${encoding}: make one for the warehouse with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  )
}

function migrator(connection: Connection, schema: SchemaNames): Postgrator {
  return new Postgrator({
    driver: 'pg',
    migrationPattern: `${globLiteral(SQL_DIRECTORY)}/*.sql`,
    schemaTable: `${schema.name}.schema_version`,
    // checksums do not depend on the line ends of a checkout
    newline: 'LF',
    execQuery: async (sql) => {
      const result = await connection.query(sql)
      return { rows: records<Record<string, unknown>>(result) }
    },
    execSqlScript: (sql) => connection.script(sql),
  })
}

/** A path in which a glob pattern sees nothing special; it wants slashes on every system. */
function globLiteral(path: string): string {
  return path.replaceAll('\\', '/').replaceAll(/[*?[\]{}()!+@]/g, '[$&]')
}

/** What the migrations make, one object a line; written by `schema:dump`. */
const OBJECTS_FILE = new URL('../../schema-objects.txt', import.meta.url)

/**
 * Tables, columns, views, functions and indexes of the schema and its history, as `column collab.tasks.name`, in order. The schemas are
 * named `collab` and `collab_history`, under any name.
 */
export async function readObjects(connection: Connection, schema: SchemaNames): Promise<string[]> {
  const { rows } = await connection.query(
    `WITH relation AS (
       SELECT c.oid, c.relkind::text AS kind, s.place || '.' || c.relname AS name
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN (VALUES ($1, 'collab'), ($2, 'collab_history')) AS s (nspname, place) ON s.nspname = n.nspname::text
     )
     SELECT CASE WHEN kind IN ('v', 'm') THEN 'view ' WHEN kind IN ('i', 'I') THEN 'index ' ELSE 'table ' END || name AS object
     FROM relation WHERE kind IN ('r', 'p', 'v', 'm', 'i', 'I')
     UNION ALL
     SELECT 'column ' || name || '.' || a.attname FROM relation
       JOIN pg_attribute a ON a.attrelid = oid AND a.attnum > 0 AND NOT a.attisdropped WHERE kind IN ('r', 'p', 'v', 'm')
     UNION ALL
     SELECT 'function ' || s.place || '.' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       JOIN (VALUES ($1, 'collab'), ($2, 'collab_history')) AS s (nspname, place) ON s.nspname = n.nspname::text`,
    [schema.name, schema.historyName],
  )
  return [...new Set(rows.map(([object]) => String(object)))].sort()
}

/** Objects that the migrations make and that are not there, by their names in this database; of a missing table, not each column. */
export async function missingObjects(connection: Connection, schema: SchemaNames): Promise<string[]> {
  const expected = (await readFile(OBJECTS_FILE, 'utf8')).split('\n').filter((line) => line !== '')
  const found = new Set(await readObjects(connection, schema))
  const missing = expected.filter((object) => !found.has(object))
  const gone = new Set(missing.map((object) => object.replace(/^\w+ /, '')))
  return missing
    .filter(
      (object) => !(object.startsWith('column ') && gone.has(object.slice('column '.length, object.lastIndexOf('.')))),
    )
    .map((object) => object.replace(/ collab(?:_history)?\./, (place) => place.replace('collab', schema.name)))
}
