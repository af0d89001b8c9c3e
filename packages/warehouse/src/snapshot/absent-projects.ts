import { POSSIBLY_CAPPED } from '@collab-etl/contract/streams'
import { type Driver, records } from '../driver/driver.ts'
import { transactionWithRetry } from '../driver/retry.ts'
import { columnList, historyOf, type SchemaNames } from '../names.ts'
import { runBound } from '../publish/bind.ts'
import { noCounts } from '../publish/context.ts'
import { comparableRows, refusalOf, undecidedSince } from '../publish/deletion-guard.ts'
import { beginOf, countMarked, isOfOtherRun, markDeleted } from '../publish/history.ts'
import type { CountsByTable, DeletionLimits } from '../publish/types.ts'
import { reasonOf } from '../publish/unconfirmed.ts'
import { dropList } from '../publish/webhook-lists.ts'
import { storedId } from '../records/text.ts'
import { liveProjects, namelessProjects, projectsBefore } from '../runs/stored-projects.ts'
import { TABLES, tableByName } from '../tables/index.ts'
import { IS_OF_TEAM } from '../tables/projects.ts'
import { type TableName, versionColumns } from '../tables/table.ts'

/** Which projects a run found. That a project is missing from the list does not mean that it is gone. */
export interface FoundProjects {
  readonly listed: ReadonlySet<string>
  /** Projects for which the service answered that they do not exist. */
  readonly gone: ReadonlySet<string>
  /** Projects that could be read. Those of them that are not in the list are marked `unlisted_since`. */
  readonly readable: ReadonlySet<string>
}

export interface AbsentProjects {
  /** Projects marked deleted, in order. */
  readonly deleted: readonly DeletedProject[]
  /** Live projects that are not in the list and could be read, in order. */
  readonly unlisted: string[]
  /** Why the list of projects was probably cut; its scope is then `drifted`. `null` if there is no sign of it. */
  readonly cut: string | null
  /** Why the deletion guard refused to mark projects that the lists of teams lack; `null`: they were marked. */
  readonly teamsRefusal: string | null
  /** Why the deletion guard refused, so that none was marked; `null`: they were marked. */
  readonly refusal: string | null
  readonly tables: CountsByTable
}

/** A project that a run marked deleted, and the number of its rows, in all tables, that it marked with it. */
export interface DeletedProject {
  readonly pid: string
  readonly name: string | null
  readonly rows: number
}

interface RunOf {
  readonly id: string
  readonly startedAt: Date
}

/** What the lists of teams showed in this run. */
export interface TeamProjects {
  readonly pids: ReadonlySet<string>
  /** Whether these are all. */
  readonly isWhole: boolean
}

/**
 * Marks stored projects as deleted for which the service answered that they do not exist, each with all its rows in one transaction.
 * If the deletion guard refuses, none is marked, and the list's scope is `refused`. Notes which projects can be read but are not in
 * the list. A project that the list of a team still shows stays live, without permission; one that only such a list showed is marked deleted
 * when all of them lack it.
 * @param shown `null`: the lists of teams were not read in this run
 */
export async function markAbsent(
  driver: Driver,
  schema: SchemaNames,
  run: RunOf,
  found: FoundProjects,
  limits: DeletionLimits,
  shown: TeamProjects | null = null,
): Promise<AbsentProjects> {
  const clean = (pids: ReadonlySet<string>) => new Set([...pids].map((pid) => storedId(pid)))
  const [listed, gone, readable] = [clean(found.listed), clean(found.gone), clean(found.readable)]
  const { unlisted, fresh, updated } = await markUnlisted(driver, schema, run, { listed, readable, gone, shown })
  const before = await projectsBefore(driver, schema, run.id)
  const lacking = fresh.filter((pid) => before.has(pid)).length
  const cut = await judgeList(driver, schema, run.id, { length: listed.size, lacking })
  const tables: CountsByTable = updated === 0 ? {} : { projects: { ...noCounts(), updated } }
  await addToList(driver, schema, run.id, 'rows_updated', updated)

  const live = await liveProjects(driver, schema)
  const absent = live.filter((pid) => gone.has(pid))
  const nameless = (await namelessProjects(driver, schema)).filter((pid) => gone.has(pid))
  const namelessBefore = await namelessProjects(driver, schema, run.id)
  const held = [...live.filter((pid) => before.has(pid)), ...namelessBefore]
  const missing = held.filter((pid) => gone.has(pid)).length
  const list = { schema, pid: '', stream: 'projects', streams: ['projects'] } as const
  const counted = await comparableRows(driver, run.id, list, held.length)
  const refusal = refusalOf(limits, 'projects', { missing, live: held.length, counted })
  if (refusal !== null) {
    await refuseList(driver, schema, run, refusal)
    return { deleted: [], unlisted, cut, teamsRefusal: null, refusal, tables }
  }
  const marked = new Map<string, number>()
  const left = await leftTeams(driver, schema, run, { listed, shown, limits })
  for (const pid of [...absent, ...nameless, ...left.pids]) {
    for (const [name, rows] of await markProject(driver, schema, pid, run.startedAt)) {
      const counts = tables[name] ?? noCounts()
      tables[name] = { ...counts, deleted: counts.deleted + rows }
      marked.set(pid, (marked.get(pid) ?? 0) + rows)
    }
  }
  const rows = [...marked.values()].reduce((sum, count) => sum + count, 0)
  await addToList(driver, schema, run.id, 'rows_deleted', rows)
  const deleted = await named(driver, schema, marked)
  return { deleted, unlisted, cut, teamsRefusal: left.refusal, refusal: null, tables }
}

async function named(
  driver: Driver,
  schema: SchemaNames,
  marked: ReadonlyMap<string, number>,
): Promise<DeletedProject[]> {
  if (marked.size === 0) return []
  const found = await driver.query(`SELECT pid, name FROM ${schema.main}.projects WHERE pid = ANY($1::text[])`, [
    [...marked.keys()],
  ])
  const names = new Map(records<{ pid: string; name: string | null }>(found).map(({ pid, name }) => [pid, name]))
  return [...marked].sort().map(([pid, rows]) => ({ pid, name: names.get(pid) ?? null, rows }))
}

/** Adds to the counts of the list's scope in the run log. */
async function addToList(
  driver: Driver,
  schema: SchemaNames,
  runId: string,
  column: 'rows_updated' | 'rows_deleted',
  rows: number,
): Promise<void> {
  if (rows === 0) return
  await driver.query(
    `UPDATE ${schema.main}.run_scopes SET ${column} = ${column} + $2 WHERE run_id = $1 AND pid = '' AND stream = 'projects'`,
    [runId, rows],
  )
}

/** Returns how many rows were marked, by table. */
function markProject(driver: Driver, schema: SchemaNames, pid: string, at: Date): Promise<Map<TableName, number>> {
  return transactionWithRetry(driver, async (connection, isRetry) => {
    const marked = new Map<TableName, number>()
    await dropList(connection, schema, pid, at)
    for (const table of ['list_readings', 'unconfirmed_rows', 'task_comment_readings', 'event_readings']) {
      await connection.query(`DELETE FROM ${schema.main}.${table} WHERE pid = $1`, [pid])
    }
    for (const table of TABLES) {
      if (!table.columns.some((column) => column.name === 'pid')) continue
      const statement = markDeleted(schema, table, 't.pid = @pid AND t.deleted_at IS NULL', {
        within: 't.pid = @pid',
        replaces: isRetry,
      })
      const deleted = countMarked(table, await runBound(connection, statement, { pid, at: at.toISOString() }))
      if (deleted > 0) marked.set(table.name, deleted)
    }
    return marked
  })
}

/**
 * A list of suspicious length, which has a warning, was probably cut if it lacks projects that can be read: its scope is not complete in the
 * first run that misses one of them. `unlisted_since` remembers them.
 */
async function judgeList(
  driver: Driver,
  schema: SchemaNames,
  runId: string,
  { length, lacking }: { readonly length: number; readonly lacking: number },
): Promise<string | null> {
  if (lacking === 0) return null
  const reason = reasonOf('projects', { length }, lacking)
  const { count } = await driver.query(
    `UPDATE ${schema.main}.run_scopes SET status = 'drifted', error_code = '${POSSIBLY_CAPPED}', error = $2
     WHERE run_id = $1 AND pid = '' AND stream = 'projects' AND status IN ('complete', 'drifted') AND warning_code IS NOT NULL`,
    [runId, reason],
  )
  return count === 0 ? null : reason
}

/**
 * Projects that only lists of teams showed and that these lack now, unless the deletion guard refuses: then the scope of the teams is
 * `refused`. They are compared with those that lived before the run, and before the first run that could not decide.
 */
async function leftTeams(
  driver: Driver,
  schema: SchemaNames,
  run: RunOf,
  of: {
    readonly listed: ReadonlySet<string>
    readonly shown: TeamProjects | null
    readonly limits: DeletionLimits
  },
): Promise<{ pids: string[]; refusal: string | null }> {
  const { listed, shown, limits } = of
  if (shown?.isWhole !== true) return { pids: [], refusal: null }
  const stored = await driver.query(
    `SELECT pid FROM ${schema.main}.projects WHERE deleted_at IS NULL AND ${IS_OF_TEAM} ORDER BY pid`,
  )
  const pids = stored.rows.map(([pid]) => String(pid)).filter((pid) => !listed.has(pid) && !shown.pids.has(pid))
  if (pids.length === 0) return { pids, refusal: null }
  const scopes = { schema, pid: '', streams: ['teams'], isHeldByLength: false } as const
  const undecided = await undecidedSince(driver, run.id, scopes)
  for (const since of [run.startedAt, ...(undecided === null ? [] : [undecided])]) {
    const { rows } = await driver.query(
      `SELECT pid FROM ${schema.main}.projects WHERE deleted_at IS NULL AND ${IS_OF_TEAM} AND valid_from < $1::timestamptz
       UNION SELECT pid FROM ${schema.history}.projects WHERE ${IS_OF_TEAM} AND valid_from < $1::timestamptz AND valid_to >= $1::timestamptz`,
      [since.toISOString()],
    )
    const before = new Set(rows.map(([pid]) => String(pid)))
    const missing = pids.filter((pid) => before.has(pid)).length
    const loss = { missing, live: before.size, counted: before.size, before: since === run.startedAt ? null : since }
    const refusal = refusalOf(limits, 'projects of teams', loss)
    if (refusal === null) continue
    await refuseList(driver, schema, run, refusal, 'teams')
    return { pids: [], refusal }
  }
  return { pids, refusal: null }
}

async function refuseList(
  driver: Driver,
  schema: SchemaNames,
  run: RunOf,
  message: string,
  stream: 'projects' | 'teams' = 'projects',
): Promise<void> {
  await driver.query(
    `INSERT INTO ${schema.main}.run_scopes
       (run_id, pid, stream, status, pages, requests, bytes, rows_read, rows_inserted, rows_updated, rows_deleted,
        started_at, finished_at, error_code, error)
     VALUES ($1, '', $5, 'refused', 0, 0, 0, 0, 0, 0, 0, $2, $3, 'SHRINK', $4)
     ON CONFLICT (run_id, pid, stream) DO UPDATE SET status = 'refused', error_code = 'SHRINK', error = excluded.error`,
    [run.id, run.startedAt.toISOString(), new Date().toISOString(), message, stream],
  )
}

const PROJECTS = tableByName('projects')

/** Projects that could be read once and that no list of a team shows any more. */
async function unshown(driver: Driver, table: string, shown: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await driver.query(
    `SELECT pid FROM ${table} WHERE deleted_at IS NULL AND only_in_team IS NOT NULL AND NOT ${IS_OF_TEAM}`,
  )
  return rows.map(([pid]) => String(pid)).filter((pid) => !shown.has(pid))
}

/**
 * Sets `unlisted_since` of live projects that could be read and are not in the list, and clears it and `only_in_team` of those that are. One
 * that does not exist for the token, and that the list of a team shows, is one without permission from now on. Each makes a new version of
 * the row. Returns the unlisted ones, in order, those that are missing from the list for the first time, and how
 * many rows were changed.
 */
async function markUnlisted(
  driver: Driver,
  schema: SchemaNames,
  { startedAt }: { readonly startedAt: Date },
  { listed, readable, gone, shown }: FoundProjects & { readonly shown: TeamProjects | null },
): Promise<{ unlisted: string[]; fresh: string[]; updated: number }> {
  const versions = versionColumns(PROJECTS)
  const table = `${schema.main}.projects`
  const wanted = [...readable].filter((pid) => !listed.has(pid))
  const left = shown?.isWhole === true ? await unshown(driver, table, shown.pids) : []
  return await driver.transaction(async (connection) => {
    const { count } = await connection.query(
      `WITH changed AS MATERIALIZED (
          SELECT * FROM (
            SELECT pid, unlisted_since, only_in_team, permission,
              CASE WHEN pid = ANY ($3::text[]) THEN NULL WHEN pid = ANY ($2::text[]) THEN coalesce(unlisted_since, $1::timestamptz) ELSE unlisted_since END AS since,
              CASE WHEN NOT (pid = ANY ($3::text[]) OR pid = ANY ($5::text[])) THEN only_in_team END AS team,
              CASE WHEN pid = ANY ($4::text[]) AND only_in_team IS NOT NULL AND NOT (pid = ANY ($3::text[]) OR pid = ANY ($5::text[]))
                THEN 0 ELSE permission END AS allowed
            FROM ${table} WHERE deleted_at IS NULL) n
          WHERE (since, team, allowed) IS DISTINCT FROM (unlisted_since, only_in_team, permission)
        ), kept AS (
          INSERT INTO ${historyOf(schema, PROJECTS)} (${columnList(versions)}, valid_from, valid_to)
          SELECT ${columnList(versions, 't')}, ${beginOf('t.valid_from', '$1')}, $1 FROM ${table} t JOIN changed c ON c.pid = t.pid WHERE ${isOfOtherRun('t.valid_from', '$1')}
        )
        UPDATE ${table} t SET unlisted_since = c.since, only_in_team = c.team, permission = c.allowed, valid_from = $1 FROM changed c WHERE t.pid = c.pid`,
      [startedAt.toISOString(), wanted, [...listed], [...gone], left],
    )
    const { rows } = await connection.query(
      `SELECT pid, unlisted_since = $2 FROM ${table} WHERE deleted_at IS NULL AND pid = ANY ($1::text[]) ORDER BY pid`,
      [wanted, startedAt.toISOString()],
    )
    const fresh = rows.filter(([, isFresh]) => isFresh === true)
    const pids = (of: typeof rows) => of.map(([pid]) => String(pid))
    return { unlisted: pids(rows), fresh: pids(fresh), updated: count }
  })
}
