import { schemaVersion } from '../admin/version.ts'
import { type Driver, underLock } from '../driver/driver.ts'
import { isRunUnderWay } from '../driver/postgres-lock.ts'
import { isWarehouseError, WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { mayWorkersPublish } from '../runs/workers.ts'

/** Rows that do not change while they are read. */
export interface SteadyRows extends AsyncDisposable {
  /** Rows must be read as of this time, just before the run under way. `null`: the lock is held, and the present rows are read. */
  readonly asOf: Date | null
  /** Must be called after the last read. Throws `STALE` if the schema was migrated or the times of its runs were repaired meanwhile. */
  confirm(): Promise<void>
}

/**
 * Opens rows that do not change: under the lock, or, while a run is under way, as they were before it began. A run dates all rows that it
 * writes with its start, which is later than the start of every earlier run, and keeps the versions that it replaces.
 */
export async function openSteadyRows(driver: Driver, schema: SchemaNames): Promise<SteadyRows> {
  for (;;) {
    let refusal: unknown
    const lock = await driver.lock(schema.name).catch((error: unknown) => {
      if (!isWarehouseError(error, 'LOCKED')) throw error
      refusal = error
      return null
    })
    if (lock !== null) {
      const mayChange = driver.kind === 'postgres' && (await underLock(lock, mayWorkersPublish(driver, schema)))
      if (!mayChange) return { asOf: null, confirm: async () => {}, [Symbol.asyncDispose]: () => lock.release() }
      await lock.release()
    } else if (!(await isRunUnderWay(driver, schema.name))) {
      // the process that holds the lock compares, migrates or backs up, or its run has not begun yet
      throw refusal
    }
    const { rows } = await driver.query(
      `SELECT min(started_at) - interval '1 millisecond' FROM ${schema.main}.runs WHERE status = 'running'`,
    )
    const [before] = rows[0] ?? []
    if (typeof before === 'string') return await asOf(driver, schema, new Date(before))
    // the run has just ended
    if (refusal !== undefined) throw refusal
  }
}

async function asOf(driver: Driver, schema: SchemaNames, time: Date): Promise<SteadyRows> {
  // when the run has ended, another process may migrate the schema or repair wrong dates
  const state = async () => {
    const { rows } = await driver.query(
      `SELECT md5(string_agg(run_id || ' ' || started_at, ',' ORDER BY run_id)) FROM ${schema.main}.runs WHERE started_at <= $1::timestamptz`,
      [time.toISOString()],
    )
    return JSON.stringify([rows, await schemaVersion(driver, schema, driver.location)])
  }
  const before = await state()
  return {
    asOf: time,
    confirm: async () => {
      if ((await state()) === before) return
      throw new WarehouseError(
        'STALE',
        `schema ${schema.name} in ${driver.location} was migrated, or the dates of its runs were changed, while it was read; run again`,
      )
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
