import type { Connection, Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { literal, refuseReserved, type SchemaNames } from '../names.ts'
import { createTables, upgradeTables } from '../tables/ddl.ts'
import { createReaders } from '../tables/objects.ts'
import { DEFINITION, type Definition, inSchema, versionOf } from '../tables/schema.ts'
import { dropReaders } from './drop-readers.ts'
import { refuseNewer, schemaVersion } from './version.ts'

/** An arbitrary number, the same in every version of this tool. */
const MIGRATION_LOCK_CLASS = 0x636f6c6d

const COMMENT =
  'Warehouse of collab-etl: tables as the last run left them, with deleted rows; views live_… of existing rows only; view changes; models for analysts (fct_…, dim_…); the run log'

/**
 * Brings the schema to the version of this tool: makes it, or applies the upgrades that it lacks, and replaces its views and functions. All
 * in one transaction, under a lock, so that of two processes that start at once the second finds it done.
 * @param definition default: the schema of this version; tests of upgrades have others
 */
export async function migrate(
  driver: Driver,
  schema: SchemaNames,
  definition: Definition = DEFINITION,
): Promise<{ from: number; to: number }> {
  const to = versionOf(definition)
  return await driver.transaction(async (connection) => {
    await lockMigrations(connection, schema)
    const from = await schemaVersion(connection, schema, driver.location)
    refuseNewer(from, to, driver, schema)
    if (from === to) return { from, to }
    const run = (statements: readonly string[]) => connection.script(inSchema(statements.join(';\n'), schema))
    let regrant: readonly string[] = []
    if (from === 0) {
      await makeSchemas(connection, schema, driver.location)
      await run(createTables(definition))
    } else {
      await makeRoom(connection, schema)
      const upgrades = definition.upgrades.slice(from - 1)
      regrant = await dropReaders(connection, schema, upgrades, definition)
      await run(upgrades.flatMap((upgrade) => upgradeTables(upgrade, definition)))
    }
    await replaceReaders(connection, schema, definition)
    for (const grant of regrant) await connection.script(grant)
    await connection.query(`INSERT INTO ${schema.main}.schema_version (version, applied_at) VALUES ($1, now())`, [to])
    return { from, to }
  })
}

/** Makes the schemas of a new warehouse, without tables, in a transaction. */
export async function makeSchemas(connection: Connection, schema: SchemaNames, location: string): Promise<void> {
  refuseReserved(schema)
  await refuseEncoding(connection, location)
  await makeRoom(connection, schema)
  await createSchemas(connection, schema)
}

/** Makes or replaces comments, views and functions. Sets the search path of the transaction. */
export async function replaceReaders(
  connection: Connection,
  schema: SchemaNames,
  definition: Definition = DEFINITION,
): Promise<void> {
  // the files name tables without a schema, so that they are plain SQL
  await connection.script(`SET LOCAL search_path = ${schema.main}`)
  await connection.script(inSchema((await createReaders(definition)).join(';\n'), schema))
}

/** Staging tables have the columns of the version before. */
async function makeRoom(connection: Connection, schema: SchemaNames): Promise<void> {
  await refuseWarehouses(connection, schema)
  await connection.script(`DROP SCHEMA IF EXISTS ${schema.stage} CASCADE`)
}

/** Keeps every other process from changing this schema's definition until the transaction ends. */
export async function lockMigrations(connection: Connection, schema: SchemaNames): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock($1::integer, hashtext($2))', [MIGRATION_LOCK_CLASS, schema.name])
}

/** Either may be there already, belong to another role, and have a comment of its own. */
async function createSchemas(connection: Connection, schema: SchemaNames): Promise<void> {
  const comments = [
    [schema.name, schema.main, COMMENT],
    [schema.historyName, schema.history, `superseded and deleted versions of the rows of ${schema.name}`],
  ] as const
  for (const [name, place, comment] of comments) {
    await connection.script(`CREATE SCHEMA IF NOT EXISTS ${place}`)
    const { count } = await connection.query(
      `SELECT FROM pg_namespace WHERE nspname = $1 AND pg_has_role(nspowner, 'USAGE') AND obj_description(oid, 'pg_namespace') IS NULL`,
      [name],
    )
    if (count > 0) await connection.script(`COMMENT ON SCHEMA ${place} IS ${literal(comment)}`)
  }
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
