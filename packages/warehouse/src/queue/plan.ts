import { type Connection, type Driver, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { hasPlanTable, planTable } from '../runs/workers.ts'

/** A run that several processes read. */
export interface Plan {
  readonly runId: string
  readonly startedAt: Date
  readonly baseUrl: string
  readonly toolVersion: string
  /** Number of processes that have coordinated the run. Readings that began under an earlier one are not published. */
  readonly generation: number
  /** Data that its coordinator shares with all workers. */
  readonly document: unknown
}

/** JSON as it is stored: within a string, because jsonb and text take neither U+0000 nor lone surrogates. */
export const encode = (value: unknown): string => JSON.stringify(value)

/** The opposite of `encode`. */
export const decode = (text: unknown): unknown => JSON.parse(String(text))

/** Records the plan of a run, and removes any other. The table is logged, because the plan must survive a crash of the server. */
export async function insertPlan(connection: Connection, schema: SchemaNames, runId: string, document: unknown) {
  await connection.script(
    `CREATE TABLE IF NOT EXISTS ${planTable(schema)} (
       run_id text COLLATE "C" PRIMARY KEY, document text NOT NULL, is_led boolean NOT NULL DEFAULT true
     )`,
  )
  await connection.query(`DELETE FROM ${planTable(schema)}`)
  await connection.query(`INSERT INTO ${planTable(schema)} (run_id, document) VALUES ($1, $2)`, [
    runId,
    encode(document),
  ])
}

/** The plan of the run that is under way; `null` if there is none. @param isLed only if a process coordinates the run */
export async function readPlan(driver: Driver, schema: SchemaNames, { isLed = false } = {}): Promise<Plan | null> {
  if (!(await hasPlanTable(driver, schema))) return null
  const found = await driver.query(
    `SELECT run_id AS "runId", started_at AS "startedAt", base_url AS "baseUrl", tool_version AS "toolVersion", generation, document
     FROM ${planTable(schema)} JOIN ${schema.main}.runs USING (run_id) WHERE status = 'running' AND (is_led OR NOT $1::boolean)`,
    [isLed],
  )
  const [row] = records<Omit<Plan, 'startedAt'> & { readonly startedAt: string }>(found)
  return row === undefined ? null : { ...row, startedAt: new Date(row.startedAt), document: decode(row.document) }
}

/** Whether a run has not ended, led or not. */
export async function isUnderWay(driver: Driver, { main }: SchemaNames, runId: string): Promise<boolean> {
  const { rows } = await driver.query(`SELECT FROM ${main}.runs WHERE run_id = $1 AND status = 'running'`, [runId])
  return rows.length === 1
}

/** The run of a plan has a coordinator again. */
export async function markLed(driver: Driver, schema: SchemaNames, runId: string): Promise<void> {
  await driver.query(`UPDATE ${planTable(schema)} SET is_led = true WHERE run_id = $1`, [runId])
}

export type RunGeneration = Pick<Plan, 'runId' | 'generation'>

const IS_CURRENT = `run_id = $1 AND generation = $2 AND status = 'running'`

/** Whether a run is under way in this generation. @param locks whether it then remains so until the transaction ends */
export async function isCurrent(
  connection: Pick<Connection, 'query'>,
  schema: SchemaNames,
  { runId, generation }: RunGeneration,
  { locks = false } = {},
): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT FROM ${schema.main}.runs WHERE ${IS_CURRENT} ${locks ? 'FOR SHARE' : ''}`,
    [runId, generation],
  )
  return rows.length === 1
}

/** Fails unless the run is under way in this generation. If it is, it remains so until the transaction ends. */
export async function requireCurrent(connection: Connection, schema: SchemaNames, run: RunGeneration): Promise<void> {
  if (!(await isCurrent(connection, schema, run, { locks: true }))) throw staleError(run)
}

/** Begins the next generation. Waits for publishing transactions under way; later ones of this generation fail. */
export async function nextGeneration(driver: Driver, schema: SchemaNames, run: RunGeneration): Promise<number> {
  const { count } = await driver.query(
    `UPDATE ${schema.main}.runs SET generation = generation + 1 WHERE ${IS_CURRENT}`,
    [run.runId, run.generation],
  )
  if (count !== 1) throw staleError(run)
  return run.generation + 1
}

function staleError({ runId }: RunGeneration): WarehouseError {
  return new WarehouseError('STALE', `run ${runId} has ended, or another process coordinates it now`)
}

export async function deletePlan(driver: Driver, schema: SchemaNames, runId: string): Promise<void> {
  await driver.query(`DELETE FROM ${planTable(schema)} WHERE run_id = $1`, [runId])
}
