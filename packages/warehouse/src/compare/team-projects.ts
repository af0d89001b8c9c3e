import { columnList, quoted } from '../names.ts'
import type { StagedContext } from '../publish/staged-context.ts'
import { stagedTeamProjects, TEAM_COLUMNS } from '../publish/team-projects.ts'
import { storedId } from '../records/text.ts'
import { IS_OF_TEAM } from '../tables/projects.ts'
import type { Difference } from './types.ts'

/** How the stored projects that only teams show differ from those that their lists show now. */
export interface ComparedTeamProjects {
  readonly differences: readonly Difference[]
  /** Why stored ones that no list shows may exist all the same; `null` if they do not. */
  readonly doubt: string | null
}

/**
 * Compares the projects that only the lists of teams show, by the rules of `publish/team-projects.ts` and `snapshot/absent-projects.ts`. Of
 * a project that could be read before, only the team is compared.
 * @param listed ids of the list of projects: the comparison of that list answers for these
 * @returns `null` if the teams were not read completely
 */
export async function compareTeamProjects(
  context: StagedContext,
  listed: ReadonlySet<string>,
): Promise<ComparedTeamProjects | null> {
  const { schema, slot } = context.task
  const scope = context.scope('teams')
  if (scope?.result.status !== 'complete') return null
  const live = `${schema.main}.projects t WHERE t.deleted_at IS NULL`
  const differences: Difference[] = []
  if (context.isStaged('team_projects')) {
    const changed = TEAM_COLUMNS.map(
      (name) =>
        `CASE WHEN t.permission = 0 AND t.${quoted(name)} IS DISTINCT FROM s.${quoted(name)} THEN '${name}' END`,
    )
    const { rows } = await context.run(
      `SELECT pid, _columns FROM (
         SELECT s.pid, CASE WHEN t.pid IS NOT NULL THEN array_remove(ARRAY[${changed.join(', ')},
           CASE WHEN t.only_in_team IS DISTINCT FROM s.team_id THEN 'only_in_team' END], NULL) END AS _columns
         FROM ${stagedTeamProjects(slot)} s
         LEFT JOIN (SELECT t.pid, t.only_in_team, ${columnList(TEAM_COLUMNS, 't')} FROM ${live}) t ON t.pid = s.pid) d
       WHERE _columns IS NULL OR _columns <> '{}' ORDER BY pid`,
    )
    for (const [pid, columns] of rows) {
      const names = columns as string[] | null // as selected
      differences.push(differenceOf(String(pid), names === null ? 'missing' : 'changed', names ?? []))
    }
  }
  const stored = await context.run(`SELECT t.pid FROM ${live} AND ${IS_OF_TEAM} ORDER BY t.pid`)
  const isListed = new Set([...listed].map((pid) => storedId(pid)))
  const unseen = stored.rows
    .map(([pid]) => String(pid))
    .filter((pid) => !isListed.has(pid) && !scope.teamProjects.has(pid))
  if (scope.result.lacksProjects === undefined) {
    return { differences: [...differences, ...unseen.map((pid) => differenceOf(pid, 'extra', []))], doubt: null }
  }
  return { differences, doubt: unseen.length === 0 ? null : doubtOf(unseen.length) }
}

function doubtOf(count: number): string {
  const projects = count === 1 ? '1 stored project is' : `${count} stored projects are`
  return `${projects} in no list of a team that was read, and not all lists of their projects could be read`
}

function differenceOf(pid: string, kind: Difference['kind'], columns: readonly string[]): Difference {
  return { table: 'projects', kind, key: { pid }, columns }
}
