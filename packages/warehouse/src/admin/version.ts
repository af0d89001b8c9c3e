import type { Connection, Driver } from '../driver/driver.ts'
import { rowSecurityMessage } from '../driver/postgres-error.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { SCHEMA_VERSION } from '../tables/schema.ts'

/**
 * The version of the schema in the database; 0 when there is none.
 * @throws WarehouseError `SCHEMA_UNRELEASED` for a schema of a version before the first release
 */
export async function schemaVersion(connection: Connection, schema: SchemaNames, location: string): Promise<number> {
  const { rows: columns } = await connection.query(
    "SELECT column_name::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'schema_version'",
    [schema.name],
  )
  if (columns.length === 0) return 0
  // the versions before the first release had a checksum of each migration
  if (columns.flat().includes('md5')) {
    throw new WarehouseError(
      'SCHEMA_UNRELEASED',
      `schema ${schema.name} in ${location} was made by a version before the first release, which this tool cannot read: use another --schema or data directory, and take a new snapshot`,
    )
  }
  const { rows } = await connection.query(`SELECT max(version)::integer FROM ${schema.main}.schema_version`)
  return Number(rows[0]?.[0] ?? 0)
}

/** Throws `SCHEMA_NEWER` if the version found is above the supported one. */
export function refuseNewer(found: number, supported: number, driver: Driver, schema: SchemaNames): void {
  if (found <= supported) return
  throw new WarehouseError(
    'SCHEMA_NEWER',
    `schema ${schema.name} in ${driver.location} has version ${found}, this tool knows ${supported}: use the newer version of the tool`,
  )
}

/**
 * Throws unless the schema has the version of this tool, and shows this user all rows.
 * @throws WarehouseError `NO_SCHEMA`, `SCHEMA_NEWER`, `UNSUITABLE`
 */
export async function requireSchema(driver: Driver, schema: SchemaNames): Promise<void> {
  const version = await schemaVersion(driver, schema, driver.location)
  refuseNewer(version, SCHEMA_VERSION, driver, schema)
  if (version === SCHEMA_VERSION) return await requireAllRows(driver, schema)
  throw new WarehouseError(
    'NO_SCHEMA',
    version === 0
      ? `there is no schema ${schema.name} in ${driver.location}; create it first (init)`
      : `schema ${schema.name} in ${driver.location} has version ${version}, this tool needs ${SCHEMA_VERSION}; migrate it first (init)`,
  )
}

/** Throws `UNSUITABLE` where policies would hide rows from this user: hidden rows would count as not stored. */
async function requireAllRows(driver: Driver, schema: SchemaNames): Promise<void> {
  const { rows } = await driver.query(
    `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ($1, $2, $3) AND c.relrowsecurity AND row_security_active(c.oid) ORDER BY 1 LIMIT 1`,
    [schema.name, schema.historyName, schema.stageName],
  )
  const [table] = rows[0] ?? []
  if (table === undefined) return
  throw new WarehouseError('UNSUITABLE', rowSecurityMessage(String(table), driver.location))
}
