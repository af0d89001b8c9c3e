import { type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import type { ChangedProject, IncompleteScope, RunChanges, RunChangesLimits, UnprovenScope } from './types.ts'

/** Scopes that were not read completely, and those of a project that an earlier run could read. */
const INCOMPLETE = `(s.status IN ('partial', 'drifted', 'refused', 'failed') OR s.error_code = 'ACCESS_LOST')`

/** Those of a run that were not accepted. */
const TO_LOOK_AT = `(${INCOMPLETE} AND s.accepted IS NULL)`

/** Maximum length in characters of the names and messages that are returned. */
const MOST_CHARACTERS = 300

export async function readRunChanges(
  driver: Driver,
  schema: SchemaNames,
  runId: string,
  limits: RunChangesLimits,
): Promise<RunChanges | null> {
  const found = await driver.query(`SELECT run_id, started_at, status FROM ${schema.main}.runs WHERE run_id = $1`, [
    runId,
  ])
  const [run] = records<Pick<RunChanges, 'run_id' | 'started_at' | 'status'>>(found)
  if (run === undefined) return null
  const [counts] = records<Pick<RunChanges, 'projects' | 'changed_projects' | 'incomplete_scopes'>>(
    await driver.query(
      `SELECT count(*) FILTER (WHERE pid <> '')::float8 AS projects, count(*) FILTER (WHERE pid <> '' AND changes > 0)::float8 AS changed_projects,
         coalesce(sum(incomplete), 0)::float8 AS incomplete_scopes
       FROM (
         SELECT pid, sum(rows_inserted + rows_updated + rows_deleted) AS changes, count(*) FILTER (WHERE ${TO_LOOK_AT}) AS incomplete
         FROM ${schema.main}.run_scopes s WHERE run_id = $1 GROUP BY pid
       ) AS by_project`,
      [run.run_id],
    ),
  )
  return {
    ...run,
    ...(counts ?? { projects: 0, changed_projects: 0, incomplete_scopes: 0 }),
    changed: await readChanged(driver, schema, run.run_id, limits.projects),
    incomplete: await readIncomplete(driver, schema, run, limits.scopes),
    warnings: await readWarnings(driver, schema, run.run_id, limits.scopes),
    gone: await readGone(driver, schema, run.started_at, limits.projects),
  }
}

/** The projects with the most changed rows, in this order. */
async function readChanged(
  driver: Driver,
  schema: SchemaNames,
  runId: string,
  limit: number,
): Promise<ChangedProject[]> {
  const found = await driver.query(
    `SELECT nullif(c.pid, '') AS pid, left(p.name, ${MOST_CHARACTERS}) AS name,
       coalesce(p.valid_from = r.started_at AND NOT EXISTS (SELECT FROM ${schema.history}.projects h WHERE h.pid = p.pid), false) AS is_new,
       c.inserted, c.updated, c.deleted, c.streams
     FROM (
       SELECT pid, sum(rows_inserted)::float8 AS inserted, sum(rows_updated)::float8 AS updated, sum(rows_deleted)::float8 AS deleted,
         json_agg(json_build_object('stream', stream, 'inserted', rows_inserted, 'updated', rows_updated, 'deleted', rows_deleted) ORDER BY stream) AS streams
       FROM ${schema.main}.run_scopes WHERE run_id = $1 AND rows_inserted + rows_updated + rows_deleted > 0 GROUP BY pid
     ) AS c
     JOIN ${schema.main}.runs r ON r.run_id = $1
     LEFT JOIN ${schema.main}.projects p ON p.pid = c.pid
     ORDER BY c.inserted + c.updated + c.deleted DESC, c.pid LIMIT $2`,
    [runId, limit],
  )
  return records<ChangedProject>(found)
}

async function readWarnings(
  driver: Driver,
  schema: SchemaNames,
  runId: string,
  limit: number,
): Promise<UnprovenScope[]> {
  const found = await driver.query(
    `SELECT nullif(s.pid, '') AS pid, left(p.name, ${MOST_CHARACTERS}) AS project_name, s.stream, left(s.warning, ${MOST_CHARACTERS}) AS warning,
       s.waiting::float8 AS waiting
     FROM ${schema.main}.run_scopes s LEFT JOIN ${schema.main}.projects p ON p.pid = s.pid
     WHERE s.run_id = $1 AND s.warning IS NOT NULL ORDER BY s.pid, s.stream LIMIT $2`,
    [runId, limit],
  )
  return records<UnprovenScope>(found)
}

/** Projects that the run marked deleted, in order. */
async function readGone(
  driver: Driver,
  schema: SchemaNames,
  startedAt: string,
  limit: number,
): Promise<RunChanges['gone'][number][]> {
  const found = await driver.query(
    // times are returned with milliseconds
    `SELECT pid, left(name, ${MOST_CHARACTERS}) AS name FROM ${schema.main}.projects
     WHERE date_trunc('milliseconds', deleted_at) = $1::timestamptz ORDER BY pid LIMIT $2`,
    [startedAt, limit],
  )
  return records<RunChanges['gone'][number]>(found)
}

async function readIncomplete(
  driver: Driver,
  schema: SchemaNames,
  { run_id: runId, started_at: startedAt }: Pick<RunChanges, 'run_id' | 'started_at'>,
  limit: number,
): Promise<IncompleteScope[]> {
  const scopes = records<Omit<IncompleteScope, 'since' | 'runs' | 'last_complete_at'>>(
    await driver.query(
      `SELECT nullif(s.pid, '') AS pid, left(p.name, ${MOST_CHARACTERS}) AS project_name, s.stream, s.status, s.error_code,
         left(s.error, ${MOST_CHARACTERS}) AS error, coalesce(u.items, 0)::float8 AS unread_items
       FROM ${schema.main}.run_scopes s
       LEFT JOIN ${schema.main}.projects p ON p.pid = s.pid
       LEFT JOIN (
         SELECT pid, stream, count(*) AS items FROM ${schema.main}.unread_items WHERE run_id = $1 GROUP BY pid, stream
       ) AS u ON u.pid = s.pid AND u.stream = s.stream
       WHERE s.run_id = $1 AND ${TO_LOOK_AT} ORDER BY s.status <> 'refused', s.pid, s.stream LIMIT $2`,
      [runId, limit],
    ),
  )
  if (scopes.length === 0) return []
  const { rows } = await driver.query(
    // one pass over the run log: a join with itself would depend on statistics
    `SELECT pid, stream, min(whole_at), min(started_at), count(*)::float8 FROM (
       SELECT s.pid, s.stream, r.started_at,
         max(r.started_at) FILTER (WHERE s.status = 'complete') OVER (PARTITION BY s.pid, s.stream) AS whole_at
       FROM ${schema.main}.run_scopes s
       JOIN unnest($1::text[], $2::text[]) AS a (pid, stream) ON a.pid = s.pid AND a.stream = s.stream
       JOIN ${schema.main}.runs r ON r.run_id = s.run_id
       WHERE (s.status = 'complete' OR ${INCOMPLETE})
         AND date_trunc('milliseconds', r.started_at) <= $3::timestamptz
     ) AS readings
     WHERE started_at > coalesce(whole_at, '-infinity') GROUP BY pid, stream`,
    [scopes.map(({ pid }) => pid ?? ''), scopes.map(({ stream }) => stream), startedAt],
  )
  const histories = new Map(rows.map(([pid, stream, ...history]) => [keyOf(pid, stream), history]))
  return scopes.map((scope) => {
    const [whole = null, since, runs] = histories.get(keyOf(scope.pid ?? '', scope.stream)) ?? []
    return {
      ...scope,
      last_complete_at: whole === null ? null : String(whole),
      since: String(since ?? startedAt),
      runs: Number(runs ?? 1),
    }
  })
}

function keyOf(pid: unknown, stream: unknown): string {
  return JSON.stringify([pid, stream])
}
