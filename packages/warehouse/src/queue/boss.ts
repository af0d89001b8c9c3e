import type { ClientConfig } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { Connection } from '../driver/driver.ts'
import { records } from '../driver/driver.ts'
import { driverError } from '../driver/postgres-error.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

/** A job without a heartbeat for this long is given to another worker. The minimum of pg-boss is 10. */
export const HEARTBEAT_SECONDS = 20

/** Interval at which the coordinator looks for such jobs. */
export const SUPERVISE_SECONDS = 5

/** Attempts after the first. A project that fails so often would fail again, or makes its workers fail. Returning it does not count. */
const RETRIES = 10

/** A project may take hours: only heartbeats show whether its worker is alive. The limit of pg-boss is 24 hours. */
const EXPIRE_SECONDS = 23 * 60 * 60

/** Sessions of the queue, in addition to those of the warehouse. */
const SESSIONS = 2

export interface QueueAddress {
  readonly config: ClientConfig
  /** For messages; without password. */
  readonly location: string
  readonly schema: SchemaNames
}

/**
 * Connects to the queue. Loads pg-boss, which a run without workers does not need.
 * @param migrates creates or upgrades the schema of the queue; otherwise throws `NO_SCHEMA` if it is missing
 */
export async function openBoss({ config, location, schema }: QueueAddress, migrates: boolean): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    ...(config as object),
    schema: schema.queueName,
    application_name: 'collab-etl queue',
    max: SESSIONS,
    migrate: migrates,
    createSchema: migrates,
    supervise: false,
    schedule: false,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    reindex: false,
    monitorVacuum: false,
  })
  // errors of its background work; calls throw theirs
  boss.on('error', () => {})
  try {
    if (!migrates && !(await isInstalled(boss))) {
      throw new WarehouseError(
        'NO_SCHEMA',
        `there is no queue ${schema.queueName} in ${location}; create it first (init)`,
      )
    }
    await boss.start()
    if (migrates) await describe(boss, schema)
    return boss
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {}) // the first error is the one to report
    throw driverError(error, location)
  }
}

/** Says in the database what the schema of the queue is for; only once, as a comment needs its owner. */
async function describe(boss: PgBoss, { name, queue, queueName }: SchemaNames): Promise<void> {
  await boss.getDb().executeSql(
    `DO $$ BEGIN
       IF obj_description('${queueName}'::regnamespace, 'pg_namespace') IS NULL THEN
         COMMENT ON SCHEMA ${queue} IS 'jobs of runs of ${name} with several workers, made by pg-boss; holds no records of the service';
       END IF;
     END $$`,
    [],
  )
}

async function isInstalled(boss: PgBoss): Promise<boolean> {
  const db = boss.getDb() as ReturnType<PgBoss['getDb']> & { open?(): Promise<void> } // pg-boss opens its own on `start`
  await db.open?.()
  return await boss.isInstalled()
}

export const QUEUE_OPTIONS = {
  policy: 'standard',
  retryLimit: RETRIES,
  retryDelay: 1,
  expireInSeconds: EXPIRE_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  deleteAfterSeconds: 0,
}

/** What the queue answers, on sessions of its own: a database that is gone is reported as one. */
export async function asked<T>(answer: Promise<T>, location: string): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw driverError(error, location)
  }
}

/** Runs statements on sessions of the queue. Signs of life need them, because the sessions of the warehouse may all wait for locks of other workers. */
export function sessionsOf(boss: PgBoss, location: string): Pick<Connection, 'query'> {
  return {
    async query(text, params = []) {
      const { rows } = await asked(boss.getDb().executeSql(text, [...params]), location)
      return { columns: [], rows: rows.map((row: object) => Object.values(row)), count: rows.length }
    },
  }
}

/** Lets pg-boss run statements in a transaction of the warehouse. */
export function within(connection: Connection) {
  return {
    db: {
      executeSql: async (text: string, values: unknown[] = []) => ({
        rows: records<Record<string, unknown>>(await connection.query(text, values)),
      }),
    },
  }
}
