import { ACCOUNT_FAILED, type AcceptedFailure } from '@collab-etl/contract/streams'
import { type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { IS_OF_TEAM } from '../tables/projects.ts'
import { RUN_COLUMNS } from './runs.ts'
import { ALL_PROJECTS, FINISHED, IS_STORED, newest, scopesUntil } from './stored-scopes.ts'
import type { Coverage, CoveredScope, EventReading, EventsOutside, RunRow } from './types.ts'

/** A resumed run lists scopes that the earlier run published as skipped (RESUMED): the earlier reading counts. */
const IS_OWN = `s.error_code IS DISTINCT FROM 'RESUMED'`

/** Scopes that were attempts to read: `carried` ones are not read, and the earlier reading counts. */
const IS_ATTEMPT = `s.status <> 'carried' AND ${IS_OWN}`

/** The last run should have read it: its account failed. */
const IS_UNREAD = `status = 'carried' AND error_code = '${ACCOUNT_FAILED}'`

export async function readCoverage(driver: Driver, schema: SchemaNames, asOf: Date | undefined): Promise<Coverage> {
  const at = asOf?.toISOString() ?? 'infinity'
  const [whole = null] = records<RunRow>(
    await driver.query(
      `SELECT ${RUN_COLUMNS} FROM ${schema.main}.runs r
       WHERE started_at <= $1::timestamptz AND ${ALL_PROJECTS} AND ${FINISHED} ORDER BY started_at DESC LIMIT 1`,
      [at],
    ),
  )
  const scopes = await driver.query(
    `WITH scopes AS MATERIALIZED (${scopesUntil(schema)}),
       live AS MATERIALIZED (SELECT pid FROM ${schema.main}.projects_as_of($1::timestamptz) WHERE NOT ${IS_OF_TEAM}),
       seen AS (SELECT pid, stream, max(began) AS began, max(began) FILTER (WHERE of_all) AS began_all
                FROM scopes GROUP BY pid, stream),
       latest_of_stream AS (SELECT stream, max(began) AS began FROM scopes WHERE of_whole AND pid <> '' GROUP BY stream),
       latest AS (
         SELECT DISTINCT ON (pid, stream) * FROM (
           SELECT *, false AS is_last FROM (${newest('s.status, s.error_code, s.error, s.accepted', IS_ATTEMPT)}) a
           UNION ALL
           SELECT *, true FROM (${newest('s.status, s.error_code, s.error, s.accepted', IS_OWN)}) a WHERE ${IS_UNREAD}) a
         ORDER BY pid, stream, is_last DESC),
       complete AS (${newest('s.run_id, s.finished_at', `s.status = 'complete'`)}),
       stored AS (${newest('s.run_id, s.finished_at, s.carried_since', IS_STORED)})
     SELECT pid, stream, live.pid IS NOT NULL AS is_live, seen.began < latest_of_stream.began AS is_left_out,
       latest.status, latest.error_code, latest.error, latest.accepted,
       complete.run_id AS complete_run, complete.finished_at AS complete_at,
       stored.run_id AS stored_run, stored.finished_at AS stored_at, stored.carried_since
     FROM seen LEFT JOIN latest_of_stream USING (stream) LEFT JOIN latest USING (pid, stream)
       LEFT JOIN complete USING (pid, stream) LEFT JOIN stored USING (pid, stream) LEFT JOIN live USING (pid)
     WHERE CASE pid WHEN '' THEN stream IN ('projects', 'teams')
       ELSE live.pid IS NOT NULL OR $2::timestamptz IS NULL OR seen.began_all >= $2::timestamptz END
     UNION ALL
     SELECT pid, NULL, true, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM live
     WHERE NOT EXISTS (SELECT FROM seen WHERE seen.pid = live.pid)
     ORDER BY 1, 2`,
    [at, whole?.started_at ?? null],
  )
  const rows = records<CoverageRow>(scopes)
  const runs = await driver.query(
    `SELECT ${RUN_COLUMNS} FROM ${schema.main}.runs r WHERE started_at <= $1::timestamptz AND (run_id = ANY ($2::text[])
       OR (NOT (${FINISHED}) AND ($3::timestamptz IS NULL OR started_at > $3::timestamptz)))
     ORDER BY started_at`,
    [at, [...new Set(rows.flatMap(({ stored_run: run }) => run ?? []))], whole?.started_at ?? null],
  )
  return { wholeRun: whole, scopes: rows.map(coveredScope), runs: records<RunRow>(runs) }
}

interface CoverageRow {
  readonly pid: string
  readonly stream: CoveredScope['stream']
  readonly is_live: boolean
  readonly is_left_out: boolean | null
  readonly status: NonNullable<CoveredScope['latest']>['status'] | null
  readonly error_code: string | null
  readonly error: string | null
  readonly accepted: readonly AcceptedFailure[] | null
  readonly complete_run: string | null
  readonly complete_at: string | null
  readonly stored_run: string | null
  readonly stored_at: string | null
  readonly carried_since: string | null
}

function coveredScope(row: CoverageRow): CoveredScope {
  const { pid, stream, status, error_code: code, error: message, carried_since: carriedSince } = row
  const stored = readingOf(row.stored_run, row.stored_at)
  return {
    pid: pid === '' ? null : pid,
    stream,
    isLive: row.is_live,
    isLeftOut: row.is_left_out ?? false,
    latest:
      status === null
        ? null
        : { status, error: code === null && message === null ? null : { code, message }, accepted: row.accepted },
    complete: readingOf(row.complete_run, row.complete_at),
    stored: stored && { ...stored, carriedSince },
  }
}

function readingOf(runId: string | null, at: string | null): CoveredScope['complete'] {
  return runId === null || at === null ? null : { runId, at }
}

export async function countKnownPosts(
  driver: Driver,
  schema: SchemaNames,
  asOf: Date | undefined,
): Promise<Map<string, number>> {
  const { rows } = await driver.query(
    `SELECT pid, count(*) FROM ${schema.main}.known_posts WHERE first_seen_at <= $1::timestamptz GROUP BY pid`,
    [asOf?.toISOString() ?? 'infinity'],
  )
  return new Map(rows.map(([pid, count]) => [String(pid), Number(count)]))
}

export async function readEventsOutside(
  driver: Driver,
  schema: SchemaNames,
  { from, to }: { readonly from: Date; readonly to: Date },
  confirmedSince: Date,
): Promise<EventsOutside> {
  const found = await driver.query(
    `SELECT count(*) AS count, count(*) FILTER (WHERE r.read_at >= $3::timestamptz) AS confirmed, min(e.starts_at) AS first, max(e.starts_at) AS last
     FROM ${schema.main}.events e
     JOIN ${schema.main}.projects p ON p.pid = e.pid AND p.deleted_at IS NULL
     LEFT JOIN ${schema.main}.event_readings r ON r.pid = e.pid AND r.event_id = e.event_id
     WHERE e.deleted_at IS NULL AND ${IS_OUTSIDE}`,
    [from.toISOString(), to.toISOString(), confirmedSince.toISOString()],
  )
  return records<EventsOutside>(found)[0] ?? { count: 0, confirmed: 0, first: null, last: null }
}

/** Event `e` ends before the range from `$1` to `$2` or starts after it. */
const IS_OUTSIDE = `(e.starts_at > $2::timestamptz
  OR coalesce(e.recurrence, 0) = 0 AND greatest(e.starts_at, e.ends_at) < $1::timestamptz)`

export async function readOutsideReadings(
  driver: Driver,
  { main }: SchemaNames,
  pid: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<EventReading[]> {
  const { rows } = await driver.query(
    `SELECT e.event_id, max(r.read_at) FROM ${main}.events e
     LEFT JOIN ${main}.event_readings r ON r.pid = e.pid AND r.event_id = e.event_id
     WHERE e.pid = $3 AND e.deleted_at IS NULL AND coalesce(e.recurrence, 0) = 0 AND ${IS_OUTSIDE}
     GROUP BY e.event_id ORDER BY max(r.read_at) NULLS FIRST, e.event_id`,
    [from.toISOString(), to.toISOString(), storedId(pid)],
  )
  return rows.map(([id, readAt]) => {
    return { eventId: String(id), readAt: typeof readAt === 'string' ? new Date(readAt) : null }
  })
}
