import { type Driver, type ReceiveLines, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { type FeedSpan, feedStatement } from './feed-statement.ts'
import { FEED_TABLES, type FeedTable } from './feed-tables.ts'

/** A run that has ended: a feed reads the rows as it left them. */
export interface FeedPoint {
  readonly runId: string
  /** RFC 3339, as exactly as it is stored. */
  readonly startedAt: string
  /** `null`: its process died. */
  readonly finishedAt: string | null
}

/** The newest state that a feed can read. */
export interface FeedState {
  /** `null`: no run has ended. */
  readonly point: FeedPoint | null
  /** Id of the run under way, whose changes a later feed reads; `null`: there is none. */
  readonly underWay: string | null
}

/** Which records to read, and what to write around each of them. */
export interface FeedOptions {
  readonly table: FeedTable['name']
  /** Columns of the records, in their order. */
  readonly columns: readonly string[]
  /** Only what changed after this time, with deletions; default: all rows, deleted ones too. */
  readonly since?: string | undefined
  /** The rows as of the end of this run. */
  readonly until: FeedPoint
  /** Texts before and after the JSON object of each record, without line ends. */
  readonly before: string
  readonly after: string
}

const EXACT = (column: string) => `to_json(${column}) #>> '{}'`
const POINT = `run_id AS "runId", ${EXACT('started_at')} AS "startedAt", ${EXACT('finished_at')} AS "finishedAt"`

/** Changes are found by their times and keys: without statistics the planner would read whole tables. */
const ALONG_INDEXES =
  'SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off'

/** Runs begin one after another: all that began before the one under way have ended. */
export async function readFeedState(driver: Driver, { main }: SchemaNames): Promise<FeedState> {
  return await driver.transaction(
    async (connection) => {
      await connection.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      const running = await connection.query(
        `SELECT run_id FROM ${main}.runs WHERE status = 'running' ORDER BY started_at LIMIT 1`,
      )
      const ended = await connection.query(
        `SELECT ${POINT} FROM ${main}.runs
         WHERE started_at < coalesce((SELECT min(started_at) FROM ${main}.runs WHERE status = 'running'), 'infinity')
         ORDER BY started_at DESC, run_id DESC LIMIT 1`,
      )
      const [underWay] = running.rows[0] ?? []
      return { point: records<FeedPoint>(ended)[0] ?? null, underWay: typeof underWay === 'string' ? underWay : null }
    },
    { readOnly: true },
  )
}

export async function readFeedPoint(
  driver: Pick<Driver, 'query'>,
  { main }: SchemaNames,
  runId: string,
): Promise<FeedPoint | null> {
  const found = await driver.query(`SELECT ${POINT} FROM ${main}.runs WHERE run_id = $1 AND status <> 'running'`, [
    runId,
  ])
  return records<FeedPoint>(found)[0] ?? null
}

/**
 * Reads records as lines of JSON, in the order of their keys, from one snapshot of the database; returns their number.
 * @throws WarehouseError `STALE` if the run has other times now
 */
export async function readFeed(
  driver: Driver,
  schema: SchemaNames,
  { before, after, until, table: name, ...options }: FeedOptions,
  receive: ReceiveLines,
): Promise<number> {
  const table = FEED_TABLES.find((known) => known.name === name)
  if (table === undefined) throw new WarehouseError('MISUSE', `there is no table ${name}`)
  const unknown = options.columns.find((column) => !table.columns.some((known) => known.name === column))
  if (unknown !== undefined) throw new WarehouseError('MISUSE', `table ${name} has no column ${unknown}`)
  const span: FeedSpan = { ...options, table, until: until.startedAt }
  return await driver.transaction(
    async (connection) => {
      await connection.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      const now = await readFeedPoint(connection, schema, until.runId)
      if (now === null || !isSamePoint(now, until)) {
        throw new WarehouseError(
          'STALE',
          `run ${until.runId} of schema ${schema.name} in ${driver.location} was removed, or its times were changed, while it was read; run again`,
        )
      }
      if (options.since !== undefined) await connection.script(ALONG_INDEXES)
      return await connection.copyOut(feedStatement(schema, span, before, after), receive)
    },
    { readOnly: true },
  )
}

/** Whether a run is still the one that a feed has read: a restored or repaired warehouse may have another of that id. */
export function isSamePoint(a: FeedPoint, b: FeedPoint): boolean {
  return a.runId === b.runId && a.startedAt === b.startedAt && a.finishedAt === b.finishedAt
}
