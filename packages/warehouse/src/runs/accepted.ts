import type { AcceptedFailure, Scope, StreamName } from '@collab-etl/contract/streams'
import type { Connection, Driver } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import type { SchemaNames } from '../names.ts'
import { storable, storedId } from '../records/text.ts'
import { storedPid } from './scopes.ts'

/** What may fail: a scope, or with `item` only that item of it. */
export interface AcceptedPlace extends Scope {
  /** As in `unread_items`; `null`: all of the scope. */
  readonly item: string | null
}

/** A row of `accepted_failures`. */
export interface AcceptedRow extends AcceptedPlace {
  readonly until: Date
  readonly reason: string
  /** User and host of the process that accepted it. */
  readonly acceptedBy: string
  readonly acceptedAt: Date
}

/** What of a scope of a run was accepted; `null`: nothing, or not all that is missing. */
export interface AcceptedScope extends Scope {
  readonly accepted: readonly AcceptedFailure[] | null
}

/** A finished run whose failures were decided on again. */
export interface DecidedRun {
  readonly runId: string
  readonly status: 'succeeded' | 'partial'
  readonly scopes: readonly AcceptedScope[]
}

/** All acceptances, those that have ended too, in the order of their scopes. */
export async function readAccepted(driver: Driver, { main }: SchemaNames): Promise<AcceptedRow[]> {
  const { rows } = await driver.query(
    `SELECT pid, stream, item_id, until, reason, accepted_by, accepted_at FROM ${main}.accepted_failures ORDER BY pid, stream, item_id`,
  )
  return rows.map(([pid, stream, item, until, reason, by, at]) => ({
    pid: pid === '' ? null : String(pid),
    stream: stream as StreamName, // only `writeAccepted` writes it
    item: item === '' ? null : String(item),
    until: new Date(String(until)),
    reason: String(reason),
    acceptedBy: String(by),
    acceptedAt: new Date(String(at)),
  }))
}

/** Adds an acceptance, or replaces that of the same place, and stores what that changes about a run. */
export function writeAccepted(driver: Driver, schema: SchemaNames, row: AcceptedRow, run: DecidedRun): Promise<void> {
  const { until, reason, acceptedBy, acceptedAt } = row
  return driver.transaction(async (connection) => {
    await connection.query(
      `INSERT INTO ${schema.main}.accepted_failures (pid, stream, item_id, until, reason, accepted_by, accepted_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (pid, stream, item_id) DO UPDATE SET
         until = excluded.until, reason = excluded.reason, accepted_by = excluded.accepted_by, accepted_at = excluded.accepted_at`,
      [...keyOf(row), until.toISOString(), storable(reason).text, storable(acceptedBy).text, acceptedAt.toISOString()],
    )
    await decide(connection, schema, run)
  })
}

/** Removes an acceptance, and stores what that changes about a run. */
export function deleteAccepted(
  driver: Driver,
  schema: SchemaNames,
  place: AcceptedPlace,
  run: DecidedRun | null,
): Promise<void> {
  return driver.transaction(async (connection) => {
    await connection.query(
      `DELETE FROM ${schema.main}.accepted_failures WHERE pid = $1 AND stream = $2 AND item_id = $3`,
      keyOf(place),
    )
    if (run !== null) await decide(connection, schema, run)
  })
}

async function decide(connection: Connection, schema: SchemaNames, { runId, status, scopes }: DecidedRun) {
  await noteAccepted(connection, schema, runId, scopes)
  const { count } = await connection.query(
    `UPDATE ${schema.main}.runs SET status = $2 WHERE run_id = $1 AND status IN ('succeeded', 'partial')`,
    [runId, status],
  )
  expectRows('runs', 'updated', count, 1)
}

/** Notes what of the scopes of a run was accepted. */
export async function noteAccepted(
  connection: Connection,
  { main }: SchemaNames,
  runId: string,
  scopes: readonly AcceptedScope[],
): Promise<void> {
  if (scopes.length === 0) return
  await connection.query(
    `UPDATE ${main}.run_scopes s SET accepted = a.accepted::jsonb
     FROM unnest($2::text[], $3::text[], $4::text[]) AS a (pid, stream, accepted)
     WHERE s.run_id = $1 AND s.pid = a.pid AND s.stream = a.stream`,
    [
      runId,
      scopes.map(storedPid),
      scopes.map(({ stream }) => stream),
      scopes.map(({ accepted }) => accepted && JSON.stringify(accepted.map(storableFailure))),
    ],
  )
}

/** jsonb takes neither U+0000 nor lone surrogates. */
function storableFailure({ scope, until, reason }: AcceptedFailure): AcceptedFailure {
  return { scope: storable(scope).text, until, reason: storable(reason).text }
}

function keyOf(place: AcceptedPlace): string[] {
  return [storedPid(place), place.stream, place.item === null ? '' : storedId(place.item)]
}
