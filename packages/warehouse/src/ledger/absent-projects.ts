import type { AbsentProjects, CountsByTable, FoundProjects, ShrinkLimits } from '../api.ts'
import { storedId } from '../convert/text.ts'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { runBound } from '../publish/bind.ts'
import { noCounts } from '../publish/counts.ts'
import { countMarked, markDeleted } from '../publish/history.ts'
import { isTooMany, rowsThatCount, shrinkMessage } from '../publish/shrink.ts'
import { TABLES } from '../tables/index.ts'
import type { TableName } from '../tables/table.ts'

/**
 * Marks stored projects that are not in the complete list, or do not exist by the service's word, as deleted, each with all it holds in one transaction. Where
 * there are more of them than allowed, none is marked, and the list's scope is `refused`.
 */
export async function markAbsent(
  driver: Driver,
  schema: SchemaNames,
  run: { readonly id: string; readonly startedAt: Date },
  found: FoundProjects,
  limits: ShrinkLimits,
): Promise<AbsentProjects> {
  const isAbsent = absence(found)
  const stored = await liveProjects(driver, schema)
  const absent = stored.filter(isAbsent)
  const before = new Set(await projectsBefore(driver, schema, run.id))
  const live = stored.filter((pid) => before.has(pid)).length
  const missing = absent.filter((pid) => before.has(pid)).length
  const result = { absent: absent.length, live }
  const counted = await rowsThatCount(driver, run.id, { schema, pid: '', stream: 'projects' }, live)
  if (isTooMany(missing, counted, limits)) {
    const refusal = shrinkMessage({ missing, live, counted }, 'projects')
    await refuseList(driver, schema, run, refusal)
    return { ...result, pids: [], refusal, tables: {} }
  }
  const tables: CountsByTable = {}
  const marked: string[] = []
  for (const pid of [...absent, ...(await nameless(driver, schema, isAbsent))]) {
    const deleted = await markProject(driver, schema, pid, run.startedAt)
    for (const [name, rows] of deleted) {
      tables[name] = { ...noCounts(), deleted: (tables[name]?.deleted ?? 0) + rows }
    }
    if (deleted.size > 0) marked.push(pid)
  }
  const deleted = Object.values(tables).reduce((sum, counts) => sum + counts.deleted, 0)
  if (deleted > 0) {
    await driver.query(
      `UPDATE ${schema.main}.run_scopes SET rows_deleted = rows_deleted + $2 WHERE run_id = $1 AND pid = '' AND stream = 'projects'`,
      [run.id, deleted],
    )
  }
  return { ...result, pids: marked.toSorted(), refusal: null, tables }
}

function absence({ listed, gone }: FoundProjects): (pid: string) => boolean {
  const clean = (pids: ReadonlySet<string>) => new Set([...pids].map((pid) => storedId(pid)))
  const [cleanListed, cleanGone] = [listed && clean(listed), clean(gone)]
  return (pid) => cleanGone.has(pid) || cleanListed?.has(pid) === false
}

async function liveProjects(driver: Driver, schema: SchemaNames): Promise<string[]> {
  const { rows } = await driver.query(`SELECT pid FROM ${schema.main}.projects WHERE deleted_at IS NULL ORDER BY pid`)
  return rows.map(([pid]) => String(pid))
}

/**
 * Projects that lived when the last run had ended that came as far as this. Those that a run has added which was broken
 * off do not count, or its next try would hold what is missing against them.
 */
async function projectsBefore(driver: Driver, schema: SchemaNames, runId: string): Promise<string[]> {
  const { rows } = await driver.query(
    `WITH since AS (
       SELECT min(started_at) AS at FROM ${schema.main}.runs WHERE started_at > coalesce(
         (SELECT max(started_at) FROM ${schema.main}.runs WHERE status IN ('succeeded', 'partial') AND run_id <> $1), '-infinity')
     )
     SELECT pid FROM ${schema.main}.projects, since WHERE valid_from < at AND (deleted_at IS NULL OR deleted_at >= at)
     UNION SELECT pid FROM ${schema.history}.projects, since WHERE valid_from < at AND valid_to >= at`,
    [runId],
  )
  return rows.map(([pid]) => String(pid))
}

/** Projects of which rows may be stored, but not themselves: reading them failed each time, or since they came back. */
async function nameless(driver: Driver, schema: SchemaNames, isAbsent: (pid: string) => boolean): Promise<string[]> {
  const { rows } = await driver.query(
    `SELECT DISTINCT s.pid FROM ${schema.main}.run_scopes s JOIN ${schema.main}.runs r ON r.run_id = s.run_id
       LEFT JOIN ${schema.main}.projects p ON p.pid = s.pid
     WHERE s.pid <> '' AND (p.pid IS NULL OR r.started_at > p.deleted_at)`,
  )
  return rows.map(([pid]) => String(pid)).filter(isAbsent)
}

/** Gives how many rows were marked, by table. */
function markProject(driver: Driver, schema: SchemaNames, pid: string, at: Date): Promise<Map<TableName, number>> {
  return driver.transaction(async (connection) => {
    const marked = new Map<TableName, number>()
    for (const table of TABLES) {
      if (!table.columns.some((column) => column.name === 'pid')) continue
      const statement = markDeleted(schema, table, 't.pid = @pid AND t.deleted_at IS NULL')
      const deleted = countMarked(await runBound(connection, statement, { pid, at: at.toISOString() }))
      if (deleted > 0) marked.set(table.name, deleted)
    }
    return marked
  })
}

async function refuseList(
  driver: Driver,
  schema: SchemaNames,
  run: { readonly id: string; readonly startedAt: Date },
  message: string,
): Promise<void> {
  await driver.query(
    `INSERT INTO ${schema.main}.run_scopes
       (run_id, pid, stream, status, pages, requests, bytes, rows_read, rows_inserted, rows_updated, rows_deleted,
        started_at, finished_at, error_code, error)
     VALUES ($1, '', 'projects', 'refused', 0, 0, 0, 0, 0, 0, 0, $2, $3, 'SHRINK', $4)
     ON CONFLICT (run_id, pid, stream) DO UPDATE SET status = 'refused', error_code = 'SHRINK', error = excluded.error`,
    [run.id, run.startedAt.toISOString(), new Date().toISOString(), message],
  )
}
