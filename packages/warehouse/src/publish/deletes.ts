import type { StreamName, Suspicion } from '@collab-etl/contract/streams'
import { columnList, quoted } from '../names.ts'
import { storedId } from '../records/text.ts'
import { streamAt, streamIndex } from '../staging/shape.ts'
import type { Parent, Table, TableName } from '../tables/table.ts'
import type { Values } from './bind.ts'
import type { PublishContext } from './context.ts'
import { refusalOf } from './deletion-guard.ts'
import { countMarked, markedRows } from './history.ts'
import type { ReadParents, StagedContext } from './staged-context.ts'
import { streamOf } from './table-sql.ts'

/** The rows that one scope answers for: `where` narrows a table down to them. */
export interface Share {
  readonly stream: StreamName
  readonly where: string
  readonly values: Values
}

const ARCHIVED = { none: 'AND t.archived IS NOT TRUE', only: 'AND t.archived' }

/**
 * The scopes whose records a table holds, each with its share of the rows. Archived tasks were read from one list, all
 * others from the other. Events outside the requested range may still exist unless the service was asked for them one by one, as may
 * those that were moved out of it, whose start cannot be read, or that last into a part whose answer may be cut.
 */
export function sharesOf(context: StagedContext, table: Table): readonly Share[] {
  if (table.name === 'tasks') {
    return [
      { stream: 'tasks', where: ARCHIVED.none, values: {} },
      { stream: 'archived_tasks', where: ARCHIVED.only, values: {} },
    ]
  }
  if (table.name === 'events') {
    const { range, beyond = [], byId } = context.scope('events')?.result ?? {}
    if (range === undefined) return []
    const unread = [...context.unsureIds('events'), ...beyond.map((id) => storedId(id))]
    const asked = byId === undefined ? [] : [...byId.existing, ...byId.gone].map((id) => storedId(id))
    const values = { from: range.from.toISOString(), to: range.to.toISOString(), unread, asked }
    const where =
      'AND (t.starts_at BETWEEN @from AND @to OR t.event_id = ANY (@asked)) AND NOT (t.event_id = ANY (@unread))'
    if (!context.withheld.has('events')) return [{ stream: 'events', where, values }]
    const doubt = eventsInDoubt(context.scope('events')?.result.suspicious?.ranges)
    return [{ stream: 'events', where: `${where} AND NOT ${doubt.sql}`, values: { ...values, ...doubt.values } }]
  }
  return table.deletedBy === 'absence' ? [{ stream: table.listedBy ?? table.streams[0], where: '', values: {} }] : []
}

/** Condition: event `t` lasts into one of these parts of the range, or recurs and may; and its values. */
export function eventsInDoubt(ranges: Suspicion['ranges'] = []): Pick<Share, 'values'> & { readonly sql: string } {
  const sql = `EXISTS (SELECT FROM unnest(@froms, @tos) AS d (first, last)
    WHERE t.starts_at <= d.last AND (coalesce(t.ends_at, t.starts_at) >= d.first OR t.recurrence > 0))`
  const [froms, tos] = [ranges.map(({ from }) => from.toISOString()), ranges.map(({ to }) => to.toISOString())]
  return { sql, values: { froms, tos } }
}

/**
 * Judges the missing records of a hashed table before any is written. A scope that may not delete keeps elements of lists that
 * are gone, so its records are stored without their hash: otherwise later runs would skip them as unchanged.
 */
export async function forgetUnsureHashes(context: PublishContext, table: Table): Promise<void> {
  const sql = context.sqlOf(table.name)
  const mayMiss = !context.isPartial(table.name) || context.mayLack(table.name)
  if (mayMiss) await refuseMissing(context, table)
  const streams = table.streams.filter((stream) => !context.mayDelete(stream)).map(streamIndex)
  if (streams.length === 0 || !context.isStaged(table.name)) return
  await context.run(
    `UPDATE ${sql.stage} s SET record_hash = NULL WHERE s.pid = @pid AND ${streamOf('s')} = ANY (@streams)`,
    {
      streams,
    },
  )
}

/** Applies the deletion guard to the missing records of a table, unless these wait for confirmation. */
async function refuseMissing(context: PublishContext, table: Table): Promise<void> {
  if (context.isWithheld(table)) return
  await refuseTooMany(context, table, missingIn(context, table), sharesOf(context, table))
}

/** Marks missing records, unless the deletion guard refuses or they wait for confirmation. */
export async function markMissing(context: PublishContext, table: Table): Promise<void> {
  if (context.isWithheld(table)) return
  await markWithinLimits(context, table, missingIn(context, table), sharesOf(context, table))
}

function missingIn(context: PublishContext, table: Table): (share: Share) => string {
  const isStaged = context.isStaged(table.name)
  const missing = context.sqlOf(table.name).isMissing(isStaged, context.isPartial(table.name))
  return (share) => `${missing} ${share.where}`
}

/** Marks posts or files that the service says do not exist. */
export async function markGone(context: PublishContext, table: Table): Promise<void> {
  const [stream] = table.streams
  const ids = context.goneIds(stream)
  if (ids.length === 0) return
  const id = table.name === 'posts' ? 'post_id' : 'fid'
  const condition = `t.pid = @pid AND t.deleted_at IS NULL AND t.${id} = ANY (@ids)`
  await markWithinLimits(context, table, () => condition, [{ stream, where: '', values: { ids } }])
}

async function markWithinLimits(
  context: PublishContext,
  table: Table,
  condition: (share: Share) => string,
  shares: readonly Share[],
): Promise<void> {
  if (shares.length === 0) return
  await refuseTooMany(context, table, condition, shares)
  if (!context.mayMark(table)) return
  for (const share of shares.filter(({ stream }) => !context.noneDue.has(stream))) {
    await mark(context, table, condition(share), share)
  }
}

/** Marks the rows of a condition deleted, and counts them as those of a stream. */
async function mark(
  context: PublishContext,
  table: Table,
  condition: string,
  { stream, values }: Pick<Share, 'stream' | 'values'>,
): Promise<void> {
  const sql = context.sqlOf(table.name).markDeleted(condition, { replaces: context.isRetry })
  context.count(table.name, stream, 'deleted', countMarked(table, await context.run(sql, values)))
}

/** Applies the deletion guard to each scope of a table, once for each table. */
async function refuseTooMany(
  context: PublishContext,
  table: Table,
  condition: (share: Share) => string,
  shares: readonly Share[],
): Promise<void> {
  if (context.counted.has(table.name) || !context.mayMark(table)) return
  context.counted.add(table.name)
  const sql = context.sqlOf(table.name)
  for (const share of shares) {
    const due = await context.number(`SELECT count(*) FROM ${sql.target} t WHERE ${condition(share)}`, share.values)
    if (due === 0) {
      context.noneDue.add(share.stream)
      continue
    }
    const moved = exceptMoved(context, table, share)
    const refusal = await refusalOfShare(context, table, (of) => `${condition(of)} ${moved}`, share)
    if (refusal !== null) context.refused.set(share.stream, refusal)
  }
}

/** A moved event has another start, and so another key. It counts as missing only if it came with fewer starts than before. */
function exceptMoved(context: PublishContext, table: Table, { where }: Share): string {
  if (table.name !== 'events') return ''
  const sql = context.sqlOf(table.name)
  const isStaged = context.isStaged(table.name)
  const isMissing = sql.isMissing(isStaged, context.isPartial(table.name))
  return `AND t.event_id IN (SELECT event_id FROM (${sql.shorterLists(['event_id'], isMissing, isStaged, where)}) l)`
}

/**
 * Why a scope may not mark rows deleted; `null` if it may. Rows are counted as of the start of the run, and as of the
 * start of the first run since the last one that could delete.
 */
async function refusalOfShare(
  context: PublishContext,
  table: Table,
  condition: (share: Share) => string,
  share: Share,
  stored?: string,
): Promise<string | null> {
  const { limits, run } = context.task
  const undecided = await context.undecidedSince(table)
  const begins = [run.startedAt, ...(undecided === null ? [] : [undecided])]
  const sql = context
    .sqlOf(table.name)
    .countDeletions(condition(share), condition({ ...share, where: '' }), share.where, stored)
  for (const since of begins) {
    const { rows } = await context.run(sql, { ...share.values, since: since.toISOString() })
    const [live = 0, due = 0, marked = 0] = (rows[0] ?? []).map(Number)
    if (due === 0) continue
    const before = since === run.startedAt ? null : since
    const refusal = refusalOf(limits, table.name, { missing: due + marked, live, counted: live, marked, before })
    if (refusal !== null) return refusal
  }
  return null
}

/** This many records may lose any number of rows below them: people empty a checklist, or remove the only labels. */
const FEW_RECORDS = 3

/**
 * Applies the deletion guard to the rows below records: compares the rows that would be marked although their record stays with all rows
 * below the records that were read. Rows of labels, people and the like may replace each other, so only lists that get shorter count. Comments are
 * records of their own: a list with other comments is that of another post, and each missing one counts.
 */
export async function refuseEmptied(context: PublishContext, table: Table): Promise<void> {
  const { parent } = table
  if (parent === undefined) return
  const sql = context.sqlOf(table.name)
  const records = parent.on.length === 0 ? '*' : `DISTINCT ${parentId(parent)}`
  for (const name of parent.tables) {
    const read = context.readParents(parent, name)
    if (read === null) continue
    const leftOut = isLeftOut(context, table, parent)
    if (leftOut === null) continue
    const stored = storedBelow(context, table, read)
    context.wholeLists.add(listsOf(table, name))
    for (const stream of read.streams.filter((each) => context.mayDelete(each) && context.hasStaged(name, each))) {
      const isBelow = (parents: string) => `EXISTS (SELECT FROM (${parents}) p WHERE ${sql.same('p', 't', parent.on)})`
      const staged = stagedParents(read, name, parent, stream)
      const isMissing = `${leftOut} AND ${isBelow(staged)}`
      const isStaged = context.isStaged(table.name)
      const shorter = sql.shorterLists(parent.on, sql.isMissing(isStaged), isStaged)
      const isDue = table.isRecord === true ? isMissing : `${isMissing} AND ${isBelow(shorter)}`
      const values = { ids: context.unsureIds(table.name), since: context.task.run.startedAt.toISOString() }
      const lacking = (condition: string) =>
        context.number(`SELECT count(${records}) FROM ${stored} t WHERE ${condition}`, values)
      const count = await lacking(isMissing)
      if (count > 0) context.wholeLists.delete(listsOf(table, name))
      // comparing lengths is slow, so it is done only if more records than that lack rows
      if (count <= FEW_RECORDS) continue
      const known = [staged, ...unchangedParents(context, name, parent, stream)].join(' UNION ALL ')
      // lists that are read apart are those that changed: they are compared with all rows
      const where = parent.readBy === undefined ? `AND ${isBelow(known)}` : ''
      const refusal = await refusalOfShare(context, table, () => isDue, { stream, where, values }, stored)
      if (refusal !== null && (await lacking(isDue)) > FEW_RECORDS) context.refused.set(stream, refusal)
    }
  }
}

const listsOf = (table: Table, parent: TableName) => `${parent} ${table.name}`

function stagedParents({ stage }: ReadParents, name: TableName, parent: Parent, stream: StreamName): string {
  return `SELECT ${parentColumns(parent, name)} FROM ${stage} p WHERE p.pid = @pid AND ${streamOf('p')} = ${streamIndex(stream)}`
}

/** The unchanged records of one stream, which are not staged in such a table. */
function unchangedParents(context: PublishContext, name: TableName, parent: Parent, stream: StreamName): string[] {
  if (!context.isPartial(name)) return []
  const { target, isUnchanged } = context.sqlOf(name)
  const share = name === 'tasks' ? ARCHIVED[stream === 'archived_tasks' ? 'only' : 'none'] : ''
  return [`SELECT ${parentColumns(parent, name)} FROM (SELECT * FROM ${target} t WHERE ${isUnchanged} ${share}) p`]
}

/**
 * Marks task groups: those that the list of groups lacks, or where the service offers none, those that no task names any more, unless
 * tasks came without their group or may be missing.
 */
export async function markUnused(context: PublishContext, table: Table): Promise<void> {
  if (table.listedBy !== undefined && context.scope(table.listedBy) !== undefined) {
    return await markMissing(context, table)
  }
  if (!context.mayMark(table) || context.isWithheld(table) || context.unsureIds(table.name).length > 0) return
  const missing = context.sqlOf(table.name).isMissing(context.isStaged(table.name))
  await mark(context, table, missing, { stream: table.streams[0], values: {} })
}

/** Marks rows that were not in their parent's list, and those whose parents were marked. */
export async function markChildren(context: PublishContext, table: Table, hasMissing: boolean): Promise<void> {
  const { parent } = table
  if (parent === undefined) return
  if (hasMissing) for (const name of parent.tables) await markLeftOut(context, table, name, parent)
  const isFull = context.isFull(table) && context.mayMark(table) && !context.isWithheld(table)
  if (isFull || parent.tables.some((name) => context.shrunk.has(name))) {
    await markOrphans(context, table, parent, isFull)
  }
}

/** The parent was read from a complete scope, and the row was not in its list. */
async function markLeftOut(context: PublishContext, table: Table, name: TableName, parent: Parent): Promise<void> {
  const read = context.readParents(parent, name)
  if (read === null) return
  const streams = context.deletingStreams(read.streams)
  const leftOut = isLeftOut(context, table, parent)
  if (streams.length === 0 || leftOut === null || context.wholeLists.has(listsOf(table, name))) return
  const sql = context.sqlOf(table.name)
  const columns = ['p._seq', parentColumns(parent, name)].filter((part) => part !== '').join(', ')
  const result = await context.run(
    sql.markDeleted(`${leftOut} AND ${sql.same('p', 't', parent.on)} AND ${streamOf('p')} = ANY (@streams)`, {
      stored: storedBelow(context, table, read),
      from: `(SELECT ${columns} FROM ${read.stage} p WHERE p.pid = @pid) p`,
      by: streamOf('p'),
      replaces: context.isRetry,
    }),
    { streams, ids: context.unsureIds(table.name) },
  )
  for (const [stream, count] of markedRows(table, result))
    context.count(table.name, streamAt(Number(stream)), 'deleted', count)
}

/** Condition: a live row that was not staged, of a list that was sent; `null` if all such lists are in doubt. The row's parent is compared apart. */
function isLeftOut(context: PublishContext, table: Table, parent: Parent): string | null {
  const sql = context.sqlOf(table.name)
  const unsure = context.unsureIds(table.name)
  // a project's labels have no parent id: if one list is unsure, all are
  if (unsure.length > 0 && parent.on.length === 0) return null
  const sure = unsure.length > 0 ? `AND NOT (${parentId(parent)} = ANY (@ids))` : ''
  return `${sql.isMissing(context.isStaged(table.name))} ${sure}`
}

/** What the stored rows of the parents that were read are looked for in. */
function storedBelow(context: PublishContext, table: Table, { stage }: ReadParents): string {
  const sql = context.sqlOf(table.name)
  return context.isFew(table) ? sql.storedByKeysOf(stage) : sql.target
}

/**
 * Marks rows of which all parents are deleted, one of them in this run. With `isFull`, also rows that never had a parent: other
 * programs removed the parent or added the row.
 */
async function markOrphans(context: PublishContext, table: Table, parent: Parent, isFull: boolean): Promise<void> {
  const sql = context.sqlOf(table.name)
  const parents = (condition: string) =>
    parent.tables
      .map(
        (name) =>
          `SELECT ${parentColumns(parent, name)} FROM ${context.sqlOf(name).target} p WHERE p.pid = @pid AND ${condition}`,
      )
      .join(' UNION ALL ')
  const same = sql.same('p', 't', parent.on)
  const isOrphan = `t.pid = @pid AND t.deleted_at IS NULL
    ${isFull ? '' : `AND EXISTS (SELECT FROM (${parents('p.deleted_at = @at')}) p WHERE ${same})`}
    AND NOT EXISTS (SELECT FROM (${parents('p.deleted_at IS NULL')}) p WHERE ${same})`
  // the stream that deleted parents: that of the table itself may have no scope
  const [stream = table.streams[0]] = parent.tables.flatMap((name) => context.shrunk.get(name) ?? [])
  await mark(context, table, isOrphan, { stream, values: {} })
}

/**
 * Columns of a parent's row `p`, under the names by which its children refer to them: SQL of a select list. A parent table
 * may call them otherwise, and children of several tables say by a constant which one they mean.
 */
export function parentColumns({ on, as }: Parent, table: TableName): string {
  const { columns, fixed } = as?.[table] ?? { columns: {}, fixed: {} }
  return on
    .map((name) => {
      const constant = fixed[name]
      const value = constant === undefined ? `p.${quoted(columns[name] ?? name)}` : `'${constant}'::text COLLATE "C"`
      return `${value} AS ${quoted(name)}`
    })
    .join(', ')
}

/** The id by which a child `t` names its parent, as one text: what lists of unsure parents hold. */
export function parentId({ on, unsureBy = on }: Parent): string {
  return unsureBy.length === 1 ? columnList(unsureBy, 't') : `concat_ws(' ', ${columnList(unsureBy, 't')})`
}
