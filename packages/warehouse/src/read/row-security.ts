import type { Driver } from '../driver/driver.ts'
import { rowSecurityMessage } from '../driver/postgres-error.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

/** Throws `UNSUITABLE` where policies would hide rows from this user: hidden rows would count as not stored. */
export async function requireAllRows(driver: Driver, schema: SchemaNames): Promise<void> {
  const { rows } = await driver.query(
    `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ($1, $2, $3) AND c.relrowsecurity AND row_security_active(c.oid) ORDER BY 1 LIMIT 1`,
    [schema.name, schema.historyName, schema.stageName],
  )
  const [table] = rows[0] ?? []
  if (table === undefined) return
  throw new WarehouseError('UNSUITABLE', rowSecurityMessage(String(table), driver.location))
}
