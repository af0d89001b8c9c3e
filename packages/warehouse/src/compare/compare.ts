import type { StreamName } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import { columnList } from '../names.ts'
import { prepareStaged } from '../publish/prepare.ts'
import { STAGED_TRANSACTION, StagedContext, type StagedTask } from '../publish/staged-context.ts'
import { withholdSuspicious } from '../publish/unconfirmed.ts'
import { dropOfOtherLists } from '../publish/webhook-lists.ts'
import { streamAt } from '../staging/shape.ts'
import { tableByName } from '../tables/index.ts'
import type { Table } from '../tables/table.ts'
import { extrasOf, extraValues } from './extra.ts'
import { compareTeamProjects } from './team-projects.ts'
import type { Difference, DifferenceKind } from './types.ts'

/** Keys that are gathered of each kind, table and scope; beyond that they are counted. */
const MAX_DIFFERENCES = 1000

/** A comparison is no run: all that runs have missed was missing before. */
const NO_RUN = ''

export interface ScopeDifferences {
  readonly counts: Record<DifferenceKind, number>
  readonly differences: Difference[]
}

export function noDifferences(): ScopeDifferences {
  return { counts: { missing: 0, extra: 0, changed: 0 }, differences: [] }
}

/** What a comparison found of a project. */
export interface Compared {
  readonly differences: ReadonlyMap<StreamName, ScopeDifferences>
  /** By stream: why its list, which may be cut, proves nothing. */
  readonly suspicious: ReadonlyMap<StreamName, string>
  /** Why projects that only teams show could not be compared; `null` if they could. */
  readonly teamsInDoubt: string | null
}

/**
 * Compares the staged rows of a project with the stored ones, after the same preparation as for publishing.
 * @param listed ids of the list of projects, if teams are compared
 */
export async function compare(driver: Driver, task: StagedTask, listed: ReadonlySet<string>): Promise<Compared> {
  // outside the transaction: the table is made on another session
  await task.slot.ensure(['losses'])
  return await driver.transaction(async (connection) => {
    const context = new StagedContext(connection, task, { run: NO_RUN })
    await context.setUp()
    await prepareStaged(context)
    const suspicious = await withholdSuspicious(context)
    await dropOfOtherLists(context)
    const found = new Map<StreamName, ScopeDifferences>()
    for (const table of context.touchedTables) await compareTable(context, table, found)
    await compareTable(context, tableByName('users'), found)
    const ofTeams = await compareTeamProjects(context, listed)
    for (const difference of ofTeams?.differences ?? []) add(found, 'teams', difference)
    return { differences: found, suspicious, teamsInDoubt: ofTeams?.doubt ?? null }
  }, STAGED_TRANSACTION)
}

function add(found: Map<StreamName, ScopeDifferences>, stream: StreamName, difference: Difference): void {
  const of = found.get(stream) ?? noDifferences()
  found.set(stream, of)
  of.counts[difference.kind] += 1
  if (of.counts[difference.kind] <= MAX_DIFFERENCES) of.differences.push(difference)
}

async function compareTable(
  context: StagedContext,
  table: Table,
  found: Map<StreamName, ScopeDifferences>,
): Promise<void> {
  const sql = context.sqlOf(table.name)
  const keys = sql.keys.length === 0 ? '' : `, ${columnList(sql.keys)}`
  const parts = extrasOf(context, table).map(
    ({ condition, stream }) =>
      `SELECT ${stream} AS _stream, 'extra' AS _kind, NULL::text[] AS _columns${keys} FROM ${sql.target} t WHERE ${condition}`,
  )
  if (context.isStaged(table.name)) {
    // versions of users differ from project to project: one project can only show whether they are stored
    const unlike = sql.unlike(table.name === 'users')
    parts.push(
      `SELECT _stream, CASE WHEN _columns IS NULL THEN 'missing' ELSE 'changed' END AS _kind, _columns${keys} FROM (${unlike}) u`,
    )
  }
  if (parts.length === 0) return
  const order = sql.keys.length === 0 ? '' : `ORDER BY ${columnList(sql.keys)}`
  const { rows } = await context.run(
    `SELECT _stream, _kind, _count, _columns${keys} FROM (
       SELECT d.*, count(*) OVER (PARTITION BY _stream, _kind) AS _count,
         row_number() OVER (PARTITION BY _stream, _kind ${order}) AS _number
       FROM (${parts.join(' UNION ALL ')}) d) n
     WHERE _number <= ${MAX_DIFFERENCES} ORDER BY _stream, _kind, _number`,
    extraValues(context, table),
  )
  const counted = new Set<string>()
  for (const [number, kind, count, columns, ...key] of rows) {
    const stream = streamAt(Number(number))
    const of = found.get(stream) ?? noDifferences()
    found.set(stream, of)
    const difference = differenceOf(context, table, kind as DifferenceKind, key, columns as string[] | null) // as selected
    of.differences.push(difference)
    if (counted.has(`${stream} ${kind}`)) continue
    counted.add(`${stream} ${kind}`)
    of.counts[difference.kind] += Number(count)
  }
}

function differenceOf(
  context: StagedContext,
  table: Table,
  kind: DifferenceKind,
  values: readonly unknown[],
  columns: readonly string[] | null,
): Difference {
  const { keys } = context.sqlOf(table.name)
  const key =
    keys.length === 0
      ? { pid: context.task.pid ?? '' }
      : Object.fromEntries(keys.map((name, index) => [name, String(values[index])]))
  return { table: table.name, kind, key, columns: columns ?? [] }
}
