import { streamIndex } from '../staging/shape.ts'
import type { StagedContext } from './staged-context.ts'
import { streamOf } from './table-sql.ts'

/** The names of task groups by a list of groups. */
export interface ListedNames {
  readonly names: ReadonlyMap<string, string | null>
  /** Whether no other group exists. */
  readonly isWhole: boolean
}

/**
 * Decides which task groups are stored. If this run read the list of groups completely, it alone counts, unless it lacks a group that an open
 * task names: then it adds groups and deletes none. If only an earlier run read it, tasks add groups that are not stored, and bring back a
 * deleted one that the task list names. If no run did, tasks decide.
 * @returns the group names by which those in tasks are judged; `null` if no list was ever read
 */
export async function settleEntries(context: StagedContext): Promise<ListedNames | null> {
  const scope = context.scope('entries')
  if (scope === undefined && !context.wasListed.has('entries')) return null
  if (!context.touchedTables.some(({ name }) => name === 'entries')) return null
  const { stage, target } = context.sqlOf('entries')
  const isStaged = context.isStaged('entries')
  const isListed = `${streamOf('s')} = ${streamIndex('entries')}`
  const isComplete = scope?.result.status === 'complete'
  const isContradicted = isComplete && isStaged && (await lacksGroupsOfTasks(context))
  if (isContradicted) context.withheld.add('entries')
  // a list that may be cut does not show that a group which tasks name does not exist
  const isWhole = isComplete && !isContradicted && scope.result.suspicious === undefined
  if (isWhole) {
    if (!isStaged) return { names: new Map(), isWhole }
    await context.run(`DELETE FROM ${stage} s WHERE s.pid = @pid AND NOT ${isListed}`)
  } else if (isStaged) {
    await context.run(
      `DELETE FROM ${stage} s WHERE s.pid = @pid AND NOT ${isListed} AND (
         EXISTS (SELECT FROM ${stage} l WHERE l.pid = @pid AND l.entry_id = s.entry_id AND ${streamOf('l')} = ${streamIndex('entries')})
         OR EXISTS (SELECT FROM ${target} t WHERE t.pid = @pid AND t.entry_id = s.entry_id
           AND (t.deleted_at IS NULL OR ${streamOf('s')} = ${streamIndex('archived_tasks')})))`,
    )
    await context.run(
      `UPDATE ${stage} s SET position = t.position, created_at = t.created_at, updated_at = t.updated_at
       FROM ${target} t WHERE s.pid = @pid AND NOT ${isListed} AND t.pid = @pid AND t.entry_id = s.entry_id`,
    )
  }
  const listed = `SELECT s.entry_id, s.name, 0 AS place FROM ${stage} s WHERE s.pid = @pid AND ${isListed}`
  const stored = `SELECT t.entry_id, t.name, 1 AS place FROM ${target} t WHERE t.pid = @pid AND t.deleted_at IS NULL`
  const sources = [...(isStaged ? [listed] : []), ...(isWhole ? [] : [stored])]
  const { rows } = await context.run(
    `SELECT DISTINCT ON (entry_id) entry_id, name FROM (${sources.join(' UNION ALL ')}) n ORDER BY entry_id, place`,
  )
  return { names: new Map(rows.map(([id, name]) => [String(id), name === null ? null : String(name)])), isWhole }
}

/** Whether the task list names a group that the list of groups lacks. */
async function lacksGroupsOfTasks(context: StagedContext): Promise<boolean> {
  const { stage } = context.sqlOf('entries')
  const { rows } = await context.run(
    `SELECT 1 FROM ${stage} s WHERE s.pid = @pid AND ${streamOf('s')} = ${streamIndex('tasks')}
       AND NOT EXISTS (SELECT FROM ${stage} l WHERE l.pid = @pid AND l.entry_id = s.entry_id AND ${streamOf('l')} = ${streamIndex('entries')}) LIMIT 1`,
  )
  return rows.length > 0
}
