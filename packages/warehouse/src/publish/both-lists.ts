import { columnList, quoted } from '../names.ts'
import { LEFT_OUT_COLUMN, stagedColumns, streamIndex } from '../staging/shape.ts'
import { ownListsOf, tableByName } from '../tables/index.ts'
import { EXTRA, RECORD_HASH, type Table } from '../tables/table.ts'
import type { StagedContext } from './staged-context.ts'
import { streamOf } from './table-sql.ts'

/*
 * A task may be in both lists: it was moved while they were read, or the service lists archived tasks with all others. The copy with the
 * later updated_at counts; of equal ones, the archived copy. Fields that it lacks come from the other copy: position and completed_at,
 * which the archived list does not have, fields that were left out, and unknown fields. So an archived task with a position was in both lists; if the
 * service sends no positions, any archived task may have been.
 */

const TASKS = tableByName('tasks')

/** Columns that merging treats apart. */
const APART: ReadonlySet<string> = new Set(['pid', 'tid', 'position', 'completed_at', EXTRA.name, RECORD_HASH.name])

const PLAIN = stagedColumns(TASKS)
  .map(({ name }) => name)
  .filter((name) => !APART.has(name))

/** A record that was not staged because it equals the stored one: its number in the stage, and its hash. */
export interface SeenCopy {
  readonly seq: number
  readonly hash: string
}

/** Stages stored records, so that they can be merged with other copies, or supply values that others lack. */
export async function stageSeen(context: StagedContext, main: Table, copies: readonly SeenCopy[]): Promise<void> {
  if (copies.length === 0) return
  const values = { ids: copies.map(({ hash }) => hash), seqs: copies.map(({ seq }) => seq) }
  const { target: records, keys } = context.sqlOf(main.name)
  for (const table of [main, ...ownListsOf(main)]) {
    const sql = context.sqlOf(table.name)
    const columns = columnList(stagedColumns(table).map(({ name }) => name))
    const rows =
      table === main
        ? ''
        : `JOIN ${sql.target} t ON t.pid = m.pid AND ${sql.same('t', 'm', keys)} AND t.deleted_at IS NULL`
    const from = table === main ? 'm' : 't'
    await context.run(
      `INSERT INTO ${sql.stage} (${columns}, _seq)
       SELECT ${columnList(
         stagedColumns(table).map(({ name }) => name),
         from,
       )}, c.seq
       FROM ${records} m JOIN unnest(@ids, @seqs) AS c (hash, seq) ON c.hash::uuid = m.record_hash ${rows}
       WHERE m.pid = @pid AND m.deleted_at IS NULL`,
      values,
    )
    context.restaged.add(table.name)
  }
}

/** Merges the two copies of each task that is staged from both lists; gives the numbers of the copies that are to be dropped. */
export async function mergeCopies(context: StagedContext): Promise<number[]> {
  const { stage } = context.sqlOf('tasks')
  const { rows } = await context.run(
    `SELECT tid, listed, archived, is_archived FROM (
       SELECT a.tid, a._seq AS listed, b._seq AS archived,
         a.updated_at IS NULL OR coalesce(b.updated_at >= a.updated_at, false) AS is_archived
       FROM ${stage} a JOIN ${stage} b ON b.tid = a.tid
       WHERE a.pid = @pid AND b.pid = @pid AND ${streamOf('a')} = ${streamIndex('tasks')} AND ${streamOf('b')} = ${streamIndex('archived_tasks')}) p`,
  )
  if (rows.length === 0) return []
  const copies = rows.map(([tid, listed, archived, isArchived]) => {
    const [kept, other] = isArchived === true ? [archived, listed] : [listed, archived]
    return { tid: String(tid), isArchived: isArchived === true, kept: Number(kept), other: Number(other) }
  })
  await context.run(mergeSql(stage), {
    seqs: copies.map(({ kept }) => kept),
    streams: copies.map(({ other }) => other),
  })
  for (const table of ownListsOf(TASKS)) await moveLists(context, table, copies)
  return copies.map(({ other }) => other)
}

/**
 * If the archive was not read completely, a task that both lists had before stays archived and keeps the unknown fields of its archived
 * copy: its presence in the list of tasks does not show that it left the archive. What it showed of its group and project is settled anew.
 */
export async function keepArchived(context: StagedContext): Promise<void> {
  if (context.scope('archived_tasks')?.result.status === 'complete' || !context.isStaged('tasks')) return
  const { stage, target } = context.sqlOf('tasks')
  await context.run(
    `UPDATE ${stage} s SET archived = true, record_hash = NULL,
       extra = nullif(coalesce(t.extra, '{}') - '{entry_name,project}'::text[] || coalesce(s.extra, '{}'), '{}')
     FROM ${target} t WHERE s.pid = @pid AND t.pid = @pid AND t.tid = s.tid AND t.deleted_at IS NULL AND t.archived
       AND (t.position IS NOT NULL OR s.position IS NULL) AND ${streamOf('s')} = ${streamIndex('tasks')}`,
  )
}

function mergeSql(stage: string): string {
  // the archived list leaves out two columns in every record
  const leftOut = (alias: string) =>
    `(${alias}.${LEFT_OUT_COLUMN} || CASE WHEN ${streamOf(alias)} = ${streamIndex('archived_tasks')} THEN '{position,completed_at}'::text[] END)`
  const isLeftOut = (name: string) =>
    `'${name}' = ANY (s.${LEFT_OUT_COLUMN}) AND NOT '${name}' = ANY (coalesce(o.${LEFT_OUT_COLUMN}, '{}'))`
  const plain = PLAIN.map((name) => {
    return `${quoted(name)} = CASE WHEN ${isLeftOut(name)} THEN o.${quoted(name)} ELSE s.${quoted(name)} END`
  })
  const isArchived = `${streamOf('s')} = ${streamIndex('archived_tasks')}`
  // a task that is no longer completed has no completion time
  const completedAt = `CASE WHEN s.completed IS DISTINCT FROM false THEN o.completed_at END`
  return `UPDATE ${stage} s SET ${plain.join(', ')},
      position = CASE WHEN ${isArchived} OR ${isLeftOut('position')} THEN o.position ELSE s.position END,
      completed_at = CASE WHEN ${isArchived} OR ${isLeftOut('completed_at')} THEN ${completedAt} ELSE s.completed_at END,
      extra = nullif(coalesce(o.extra, '{}') || coalesce(s.extra, '{}'), '{}'),
      ${LEFT_OUT_COLUMN} = ARRAY(SELECT unnest(${leftOut('s')}) INTERSECT SELECT unnest(${leftOut('o')})),
      record_hash = NULL
    FROM ${stage} o, unnest(@seqs, @streams) AS p (kept, other)
    WHERE s.pid = @pid AND o.pid = @pid AND s._seq = p.kept AND o._seq = p.other`
}

/** Takes lists that were left out of the copy that counts from the other copy. */
async function moveLists(
  context: StagedContext,
  table: Table,
  copies: readonly { tid: string; isArchived: boolean; kept: number; other: number }[],
): Promise<void> {
  const unsure = {
    tasks: context.scope('tasks')?.unsure.get(table.name),
    archived: context.scope('archived_tasks')?.unsure.get(table.name),
  }
  if (unsure.tasks === undefined && unsure.archived === undefined) return
  const moved = copies.filter(({ tid, isArchived }) => {
    const [kept, other] = isArchived ? [unsure.archived, unsure.tasks] : [unsure.tasks, unsure.archived]
    return kept?.has(tid) === true && other?.has(tid) !== true
  })
  if (moved.length === 0 || !context.isStaged(table.name)) return
  const { stage } = context.sqlOf(table.name)
  const values = { seqs: moved.map(({ kept }) => kept), streams: moved.map(({ other }) => other) }
  await context.run(`DELETE FROM ${stage} s WHERE s.pid = @pid AND s._seq = ANY (@seqs)`, values)
  await context.run(
    `UPDATE ${stage} s SET _seq = p.kept FROM unnest(@seqs, @streams) AS p (kept, other)
     WHERE s.pid = @pid AND s._seq = p.other`,
    values,
  )
}
