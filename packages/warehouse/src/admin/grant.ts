import type { Connection, Driver } from '../driver/driver.ts'
import { isWarehouseError, WarehouseError } from '../errors.ts'
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
 * Lets a role read all published rows and nothing else: the tables, views and functions of the schema and its history, now and those
 * that the calling role makes later, but not the staging tables. The role's search path in this database begins with the schema, unless
 * it has one of its own or the calling role may not set it. Idempotent.
 */
export async function grantRead(driver: Driver, schema: SchemaNames, role: string): Promise<{ searchPath: boolean }> {
  await driver.transaction(async (connection) => {
    // of two calls at once, both would write the same rows of the catalogue, and one would fail
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
  return { searchPath: await setSearchPath(driver, schema, role) }
}

/** Whether the role finds the schema's names afterwards. It takes the right to change the role. */
async function setSearchPath(driver: Driver, schema: SchemaNames, role: string): Promise<boolean> {
  const { rows } = await driver.query(
    `SELECT substr(setting, length('search_path=') + 1), current_database()::text
     FROM pg_database d LEFT JOIN pg_roles r ON r.rolname = $1
     LEFT JOIN pg_db_role_setting s ON s.setdatabase = d.oid AND s.setrole = r.oid
     LEFT JOIN unnest(s.setconfig) AS setting ON setting LIKE 'search_path=%'
     WHERE d.datname = current_database() ORDER BY 1 NULLS LAST LIMIT 1`,
    [role],
  )
  const [present, database] = rows[0] ?? []
  if (typeof present === 'string')
    return present.split(/,\s*/).some((name) => name === schema.name || name === schema.main)
  try {
    await driver.script(
      `ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(String(database))} SET search_path = ${schema.main}, "$user", public`,
    )
    return true
  } catch (error) {
    if (isWarehouseError(error, 'DENIED')) return false
    throw error
  }
}
