import { type Driver, hasTable } from '../driver/driver.ts'
import { isAnyHeld } from '../driver/postgres-lock.ts'
import { isWarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

/** The table of the plan of a run that several processes read. */
export const planTable = ({ stage }: SchemaNames) => `${stage}.plan`

/** The table of workers, each with its number. */
export const workersTable = ({ stage }: SchemaNames) => `${stage}.workers`

/** The lock that a worker holds while it lives. */
export const workerLock = ({ name }: SchemaNames, number: number | '') => `${name} worker ${number}`

/** Unlike `hasTable`, also for a role that may not use the staging schema. */
export async function hasPlanTable(driver: Driver, { stageName }: SchemaNames): Promise<boolean> {
  const { rows } = await driver.query(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'plan'`,
    [stageName],
  )
  return rows.length > 0
}

/**
 * Stops the workers of a run whose coordinator has ended, for a process that holds the lock: from now on they publish nothing, until
 * another process coordinates the run. Waits for transactions that publish.
 */
export async function stopUnled(driver: Driver, schema: SchemaNames): Promise<void> {
  if (!(await hasPlanTable(driver, schema))) return
  await driver.transaction(async (connection) => {
    const { rows } = await connection.query(
      `UPDATE ${planTable(schema)} SET is_led = false WHERE is_led RETURNING run_id`,
    )
    await connection.query(
      `UPDATE ${schema.main}.runs SET generation = generation + 1 WHERE run_id = ANY ($1) AND status = 'running'`,
      [rows.map(([id]) => String(id))],
    )
  })
}

/**
 * Whether workers may publish for a run whose coordinator has ended. If none of them lives, those that come later may not either.
 * Must be called under the lock.
 */
export async function mayWorkersPublish(driver: Driver, schema: SchemaNames): Promise<boolean> {
  if (!(await hasPlanTable(driver, schema)) || !(await isPlanned(driver, schema))) return false
  try {
    if (await isAnyAlive(driver, schema)) return true
    await stopUnled(driver, schema)
    return false
  } catch (error) {
    // a role that may only read cannot stop them
    if (isWarehouseError(error, 'DENIED')) return true
    throw error
  }
}

/** Whether the run under way is planned for workers that were not stopped. */
async function isPlanned(driver: Driver, schema: SchemaNames): Promise<boolean> {
  const { main } = schema
  const exists = async (from: string) => (await driver.query(`SELECT FROM ${from}`)).rows.length > 0
  try {
    return await exists(`${planTable(schema)} JOIN ${main}.runs USING (run_id) WHERE status = 'running' AND is_led`)
  } catch (error) {
    if (!isWarehouseError(error, 'DENIED')) throw error
    // a role that may only read cannot see the plan
    return await exists(
      `${main}.runs r WHERE status = 'running' AND (
         EXISTS (SELECT FROM ${main}.run_scopes s WHERE s.run_id = r.run_id AND s.worker IS NOT NULL)
         OR NOT EXISTS (SELECT FROM ${main}.run_scopes s WHERE s.run_id = r.run_id AND s.pid <> ''))`,
    )
  }
}

/** Whether any worker lives, one that stalls included: each holds its lock. */
async function isAnyAlive(driver: Driver, schema: SchemaNames): Promise<boolean> {
  const table = workersTable(schema)
  if (!(await hasTable(driver, table))) return false
  return await isAnyHeld(driver, `SELECT $2 || number FROM ${table}`, workerLock(schema, ''))
}
