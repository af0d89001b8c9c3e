import { isAskableId } from '@collab-etl/contract/id'
import type { Driver } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { TABLES } from '../tables/index.ts'
import { IS_OF_TEAM } from '../tables/projects.ts'

/** Ids of the projects whose own row lives, in order; without those that a team's list alone shows and that cannot be read. */
export async function liveProjects(driver: Driver, schema: SchemaNames): Promise<string[]> {
  const { rows } = await driver.query(
    `SELECT pid FROM ${schema.main}.projects WHERE deleted_at IS NULL AND NOT ${IS_OF_TEAM} ORDER BY pid`,
  )
  return rows.map(([pid]) => String(pid))
}

/**
 * Ids of projects that have live rows and are not in the list, in order. Without those that a team's list alone shows, and without ids that could not be stored as sent: the service does
 * not know their stored form, so its answer would not count.
 */
export async function missingProjects(
  driver: Driver,
  schema: SchemaNames,
  listed: ReadonlySet<string>,
): Promise<string[]> {
  const clean = new Set([...listed].map((pid) => storedId(pid)))
  const pids = [...(await liveProjects(driver, schema)), ...(await namelessProjects(driver, schema))]
  return pids.filter((pid) => !clean.has(pid) && isAsSent(pid)).toSorted((a, b) => (a < b ? -1 : 1))
}

function isAsSent(pid: string): boolean {
  return isAskableId(pid) && !pid.includes('\uFFFD')
}

/**
 * Projects that have live rows, but whose own row is not live: it could never be read, or not since they came back, or no run was to
 * read it.
 * @param exceptRun ignores rows that only this run stored
 */
export async function namelessProjects(driver: Driver, schema: SchemaNames, exceptRun = ''): Promise<string[]> {
  const { rows } = await driver.query(
    `SELECT pid FROM (
       SELECT DISTINCT s.pid FROM ${schema.main}.run_scopes s
       LEFT JOIN ${schema.main}.projects p ON p.pid = s.pid AND p.deleted_at IS NULL
       WHERE s.pid <> '' AND s.status NOT IN ('failed', 'skipped') AND s.run_id <> $1 AND p.pid IS NULL) u
     WHERE ${TABLES.filter(({ columns }) => columns.some(({ name }) => name === 'pid'))
       .map(
         ({ name }) =>
           `EXISTS (SELECT FROM ${schema.main}.${quoted(name)} t WHERE t.pid = u.pid AND t.deleted_at IS NULL)`,
       )
       .join(' OR ')}`,
    [exceptRun],
  )
  return rows.map(([pid]) => String(pid))
}

/**
 * Projects that lived at the end of the last run that got as far as this, including those whose own row no run had read. Projects that an
 * interrupted run added do not count: they would make the share of missing ones smaller in the next run.
 */
export async function projectsBefore(driver: Driver, schema: SchemaNames, runId: string): Promise<Set<string>> {
  const { rows } = await driver.query(
    `WITH since AS (
       SELECT min(started_at) AS at FROM ${schema.main}.runs WHERE started_at > coalesce(
         (SELECT max(started_at) FROM ${schema.main}.runs WHERE status IN ('succeeded', 'partial') AND run_id <> $1), '-infinity')
     )
     SELECT pid FROM ${schema.main}.projects, since WHERE valid_from < at AND (deleted_at IS NULL OR deleted_at >= at)
     UNION SELECT pid FROM ${schema.history}.projects, since WHERE valid_from < at AND valid_to >= at
     UNION SELECT s.pid FROM ${schema.main}.run_scopes s JOIN ${schema.main}.runs r ON r.run_id = s.run_id
     WHERE r.run_id <> $1 AND r.status IN ('succeeded', 'partial') AND s.pid <> '' AND s.status NOT IN ('failed', 'skipped')
       AND NOT EXISTS (SELECT FROM ${schema.history}.projects h WHERE h.pid = s.pid)`,
    [runId],
  )
  return new Set(rows.map(([pid]) => String(pid)))
}

/** Which of these projects live, and were read by an earlier run since they were last marked deleted. */
export async function readBefore(
  driver: Driver,
  schema: SchemaNames,
  runId: string,
  pids: readonly string[],
): Promise<Set<string>> {
  const asked = pids.map((pid) => storedId(pid))
  const { rows } = await driver.query(
    `SELECT DISTINCT s.pid FROM ${schema.main}.run_scopes s
     JOIN ${schema.main}.runs r ON r.run_id = s.run_id
     JOIN ${schema.main}.projects p ON p.pid = s.pid AND p.deleted_at IS NULL
     WHERE s.pid = ANY ($1::text[]) AND s.run_id <> $2 AND s.status NOT IN ('failed', 'skipped')
       AND NOT EXISTS (
         SELECT FROM ${schema.history}.projects h WHERE h.pid = s.pid AND h.valid_to > r.started_at AND p.valid_from <> h.valid_to
           AND NOT EXISTS (SELECT FROM ${schema.history}.projects n WHERE n.pid = h.pid AND n.valid_from = h.valid_to))`,
    [asked, runId],
  )
  const nameless = await namelessProjects(driver, schema)
  return new Set([...rows.map(([pid]) => String(pid)), ...nameless.filter((pid) => asked.includes(pid))])
}
