import type { Driver } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import { columnList, historyOf, type SchemaNames } from '../names.ts'
import { runBound } from '../publish/bind.ts'
import { beginOf, isOfOtherRun, replacingVersion } from '../publish/history.ts'
import { storedId } from '../records/text.ts'
import { tableByName } from '../tables/index.ts'
import { versionColumns } from '../tables/table.ts'

/** What runs found out about a project, and no record of it shows. */
export interface KeptProject {
  readonly pid: string
  /** ISO text. */
  readonly unlisted_since?: string | null
  readonly only_in_team?: string | null
}

const PROJECTS = tableByName('projects')

/** Stores these values of live projects. A change makes a new version of the row, as everything that a run changes. */
export async function keepProjects(
  driver: Driver,
  schema: SchemaNames,
  { startedAt }: { readonly startedAt: Date },
  projects: readonly KeptProject[],
): Promise<void> {
  if (projects.length === 0) return
  const versions = versionColumns(PROJECTS)
  const table = `${schema.main}.projects`
  const { rows } = await runBound(
    driver,
    `WITH changed AS MATERIALIZED (
       SELECT t.ctid AS _at, k.since::timestamptz AS since, k.team FROM ${table} t JOIN unnest(@ids, @sources, @texts) AS k (pid, since, team) ON k.pid = t.pid
       WHERE t.deleted_at IS NULL AND (t.unlisted_since, t.only_in_team) IS DISTINCT FROM (k.since::timestamptz, k.team)
     ), kept AS (
       INSERT INTO ${historyOf(schema, PROJECTS)} (${columnList(versions)}, valid_from, valid_to)
       SELECT ${columnList(versions, 't')}, ${beginOf('t.valid_from')}, @at FROM ${table} t JOIN changed c ON c._at = t.ctid
       WHERE ${isOfOtherRun('t.valid_from')} ${replacingVersion(PROJECTS)}
     ), updated AS (
       UPDATE ${table} t SET unlisted_since = c.since, only_in_team = c.team, valid_from = @at FROM changed c WHERE t.ctid = c._at RETURNING 1
     ) SELECT (SELECT count(*) FROM changed), (SELECT count(*) FROM updated)`,
    {
      at: startedAt.toISOString(),
      ids: projects.map(({ pid }) => storedId(pid)),
      sources: projects.map(({ unlisted_since: since }) => since ?? null),
      texts: projects.map(({ only_in_team: team }) => team ?? null),
    },
  )
  const [due = 0, updated = 0] = rows[0] ?? []
  expectRows('projects', 'updated', Number(updated), Number(due))
}
