import type { Connection, Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { lockMigrations } from './migrate.ts'

/** Checks that every one of the roles exists (`NO_ROLE` otherwise, with those that do not). */
export async function requireRoles(connection: Connection, roles: readonly string[], location: string): Promise<void> {
  const { rows } = await connection.query(
    'SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS u (name, n) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) ORDER BY n',
    [roles],
  )
  const missing = rows.flat().map((name) => JSON.stringify(name))
  if (missing.length === 0) return
  throw new WarehouseError(
    'NO_ROLE',
    `there is no role ${missing.join(', ')} in ${location}: create it first (CREATE ROLE … LOGIN)`,
  )
}

/**
 * Lets a role read all that is published and nothing else: the schema and its history, what is there now and what the role
 * that calls this makes there later. Not the stage. Done again, it changes nothing.
 */
export async function grantRead(driver: Driver, schema: SchemaNames, role: string): Promise<void> {
  await driver.transaction(async (connection) => {
    // two at once would both write the same rows of the catalogue, and one would fail
    await lockMigrations(connection, schema)
    await requireRoles(connection, [role], driver.location)
    const { rows } = await connection.query('SELECT nspname::text FROM pg_namespace WHERE nspname IN ($1, $2)', [
      schema.name,
      schema.historyName,
    ])
    const reader = quoted(role)
    for (const name of rows.flat().map(String)) {
      const present = quoted(name)
      await connection.script(
        `GRANT USAGE ON SCHEMA ${present} TO ${reader};
         GRANT SELECT ON ALL TABLES IN SCHEMA ${present} TO ${reader};
         GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${present} TO ${reader};
         ALTER DEFAULT PRIVILEGES IN SCHEMA ${present} GRANT SELECT ON TABLES TO ${reader};
         ALTER DEFAULT PRIVILEGES IN SCHEMA ${present} GRANT EXECUTE ON FUNCTIONS TO ${reader}`,
      )
    }
  })
}
