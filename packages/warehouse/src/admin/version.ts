import type { Connection, Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

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
