import { columnList, historyOf, quoted } from '../names.ts'
import { stagedColumns } from '../staging/shape.ts'
import type { StagingSlot } from '../staging/slot.ts'
import { tableByName } from '../tables/index.ts'
import { versionColumns } from '../tables/table.ts'
import type { PublishContext } from './context.ts'
import { beginOf, isOfOtherRun, replacingVersion } from './history.ts'

const PROJECTS = tableByName('projects')

/** The columns of a project that the list of a team has. */
export const TEAM_COLUMNS = [
  'name',
  'description',
  'archived',
  'pic',
  'bg',
  'visibility',
  'team_id',
  'permission',
  'extra',
]

/** In SQL: the staged projects that only lists of teams show, each as the first team that has it shows it. */
export function stagedTeamProjects(slot: StagingSlot): string {
  return `(SELECT DISTINCT ON (pid) * FROM ${slot.table('team_projects')} ORDER BY pid, _seq)`
}

/**
 * Stores projects that only lists of teams show. A live project that could be read before, and that may still exist for the token, keeps its
 * values and only gets `only_in_team`, so that it is not marked deleted while a team lists it. `snapshot/absent-projects.ts` decides later which
 * projects are gone.
 */
export async function publishTeamProjects(context: PublishContext): Promise<void> {
  const { schema, slot } = context.task
  const scope = context.scope('teams')
  if (scope === undefined || !context.isStaged('team_projects')) return
  const table = `${schema.main}.projects`
  const staged = stagedTeamProjects(slot)
  const all = stagedColumns(PROJECTS).map(({ name }) => name)
  const added = await context.run(
    `INSERT INTO ${table} (${columnList(all)}, only_in_team, valid_from)
     SELECT ${columnList(all, 's')}, s.team_id, @at FROM ${staged} s ORDER BY s.pid ON CONFLICT (pid) DO NOTHING`,
  )
  context.count('projects', 'teams', 'inserted', added.count)
  const versions = versionColumns(PROJECTS)
  // one that is marked deleted comes back with the values of the list alone
  const isOrdinary = `t.deleted_at IS NULL AND t.permission IS DISTINCT FROM 0 AND NOT (t.pid = ANY (@ids))`
  const values = TEAM_COLUMNS.map(
    (name) => `${quoted(name)} = CASE WHEN ${isOrdinary} THEN t.${quoted(name)} ELSE s.${quoted(name)} END`,
  )
  const changed = await context.run(
    `WITH due AS MATERIALIZED (
       SELECT t.ctid AS _at, s.* FROM ${staged} s JOIN ${table} t ON t.pid = s.pid
       WHERE t.deleted_at IS NOT NULL OR t.only_in_team IS DISTINCT FROM s.team_id
         OR (NOT (${isOrdinary}) AND (${columnList(TEAM_COLUMNS, 't')}) IS DISTINCT FROM (${columnList(TEAM_COLUMNS, 's')}))
     ), kept AS (
       INSERT INTO ${historyOf(schema, PROJECTS)} (${columnList(versions)}, valid_from, valid_to)
       SELECT ${columnList(versions, 't')}, ${beginOf('t.valid_from')}, @at FROM due d JOIN ${table} t ON t.ctid = d._at
       WHERE t.deleted_at IS NULL AND ${isOfOtherRun('t.valid_from')} ${context.isRetry ? replacingVersion(PROJECTS) : ''}
     )
     UPDATE ${table} t SET ${values.join(', ')}, only_in_team = s.team_id, unlisted_since = CASE WHEN t.deleted_at IS NULL THEN t.unlisted_since END,
       deleted_at = NULL, valid_from = @at
     FROM due s WHERE t.ctid = s._at AND t.pid = s.pid`,
    { ids: context.goneIds('teams') },
  )
  context.count('projects', 'teams', 'updated', changed.count)
}
