import type { StreamName } from '@collab-etl/contract/streams'
import type { Values } from '../publish/bind.ts'
import { eventsInDoubt, parentColumns, parentId, sharesOf } from '../publish/deletes.ts'
import type { StagedContext } from '../publish/staged-context.ts'
import { streamIndex } from '../staging/shape.ts'
import { tableByName } from '../tables/index.ts'
import type { Parent, Table, TableName } from '../tables/table.ts'

/** Live rows `t` that the service does not have: a condition, and the number of the stream that answers for them, in SQL. */
export interface Extra {
  readonly condition: string
  readonly stream: string
}

/** The rows of a table that publishing would mark deleted, by the same rules, without the deletion guard. */
export function extrasOf(context: StagedContext, table: Table): Extra[] {
  const { parent, deletedBy } = table
  if (parent !== undefined) return extraChildren(context, table, parent)
  const [first] = table.streams
  if (!isWhole(context, table)) return []
  const missing = context.sqlOf(table.name).isMissing(context.isStaged(table.name))
  if (deletedBy === 'gone')
    return [{ condition: `${live(context, table)} AND ${isGone(table)}`, stream: number(first) }]
  if (deletedBy !== 'absence') return []
  if (table.isRecord !== true) {
    const isListed = table.listedBy !== undefined && context.scope(table.listedBy) !== undefined
    if (!isListed && context.unsureIds(table.name).length > 0) return []
    return [{ condition: missing, stream: number(isListed ? (table.listedBy ?? first) : first) }]
  }
  return sharesOf(context, table).map(({ stream, where }) => ({
    condition: `${missing} ${where}`,
    stream: number(stream),
  }))
}

/** The values that the conditions of all tables refer to. */
export function extraValues(context: StagedContext, table: Table): Values {
  const { range, suspicious } = context.scope('events')?.result ?? {}
  return {
    ...eventsInDoubt(suspicious?.ranges).values,
    from: range?.from.toISOString() ?? null,
    to: range?.to.toISOString() ?? null,
    unread: context.unsureIds('events'),
    // a comparison asks for no event by its id
    asked: [],
    posts: context.goneIds('posts'),
    files: context.goneIds('files'),
    ids: context.unsureIds(table.name),
  }
}

/**
 * Rows that are in no list that was read, unless their parent lives outside of the streams that were read. If not all streams of the
 * table were read, only rows whose parent was read.
 */
function extraChildren(context: StagedContext, table: Table, parent: Parent): Extra[] {
  const read = table.streams.filter((stream) => isComplete(context, stream))
  const [first] = read
  const unsure = context.unsureIds(table.name)
  // a project's labels have no parent's id: if they are unsure, all are
  if (first === undefined || (unsure.length > 0 && parent.on.length === 0)) return []
  const sql = context.sqlOf(table.name)
  const conditions = [sql.isMissing(context.isStaged(table.name))]
  if (unsure.length > 0) conditions.push(`NOT (${parentId(parent)} = ANY (@ids))`)
  for (const name of parent.tables) {
    const rows = notCovered(context, tableByName(name))
    if (rows !== null)
      conditions.push(
        `NOT EXISTS (SELECT FROM ${parentsIn(rows, parent, name)} p WHERE ${sql.same('p', 't', parent.on)})`,
      )
  }
  if (!isWhole(context, table) || parent.readBy !== undefined) {
    const staged = parent.tables.flatMap((name) => {
      const read = context.readParents(parent, name)
      return read === null ? [] : [`SELECT ${parentColumns(parent, name)} FROM ${read.stage} p WHERE p.pid = @pid`]
    })
    if (staged.length === 0) return []
    conditions.push(`EXISTS (SELECT FROM (${staged.join(' UNION ALL ')}) p WHERE ${sql.same('p', 't', parent.on)})`)
  }
  return [{ condition: conditions.join(' AND '), stream: streamOfParent(context, table, parent, first) }]
}

/** Live rows of a table that the reading does not cover, as a source of rows; `null` if there are none. */
function notCovered(context: StagedContext, table: Table): string | null {
  const sql = context.sqlOf(table.name)
  const conditions = [sql.isMissing(context.isStaged(table.name))]
  if (isWhole(context, table) && table.parent?.readBy === undefined) {
    if (table.name === 'events') conditions.push(`NOT (true ${sharesOf(context, table)[0]?.where ?? 'AND false'})`)
    else if (table.deletedBy === 'gone') conditions.push(`NOT (${isGone(table)})`)
    else if (table.parent === undefined) return null
    else {
      const { parent } = table
      const rows = parent.tables.flatMap((name) => {
        const source = notCovered(context, tableByName(name))
        return source === null ? [] : [parentsIn(source, parent, name)]
      })
      if (rows.length === 0) return null
      const each = rows.map((source) => `EXISTS (SELECT FROM ${source} p WHERE ${sql.same('p', 't', parent.on)})`)
      conditions.push(`(${each.join(' OR ')})`)
    }
  }
  return `(SELECT t.* FROM ${sql.target} t WHERE ${conditions.join(' AND ')})`
}

/** Rows of a parent table, under the names by which their children refer to them. */
function parentsIn(source: string, parent: Parent, name: TableName): string {
  // a project's labels have no parent's id: any row will do
  const columns = parent.on.length === 0 ? '' : parentColumns(parent, name)
  return `(SELECT ${columns} FROM ${source} p)`
}

/** The stream that answers for a row's parent as it is stored; `first` where that was not read, or is not stored. */
function streamOfParent(context: StagedContext, table: Table, parent: Parent, first: StreamName): string {
  if (table.streams.length === 1) return number(first)
  const cases = parent.tables.flatMap((name) => {
    const of = tableByName(name)
    const shares = of.isRecord === true ? sharesOf(context, of) : []
    const all = shares.length > 0 ? shares : [{ stream: of.streams[0], where: '' }]
    const sql = context.sqlOf(name)
    return all
      .filter((share) => share.stream !== first && isComplete(context, share.stream))
      .map(({ stream, where }) => {
        const rows = parentsIn(`(SELECT t.* FROM ${sql.target} t WHERE ${live(context, of)} ${where})`, parent, name)
        return `WHEN EXISTS (SELECT FROM ${rows} p WHERE ${sql.same('p', 't', parent.on)}) THEN ${number(stream)}`
      })
  })
  return cases.length === 0 ? number(first) : `CASE ${cases.join(' ')} ELSE ${number(first)} END`
}

function live(context: StagedContext, table: Table): string {
  return `${context.sqlOf(table.name).ofProject('t')} AND t.deleted_at IS NULL`
}

function isGone(table: Table): string {
  return table.name === 'posts' ? 't.post_id = ANY (@posts)' : 't.fid = ANY (@files)'
}

function isComplete(context: StagedContext, stream: StreamName): boolean {
  return context.scope(stream)?.result.status === 'complete'
}

function isWhole(context: StagedContext, table: Table): boolean {
  return context.decidingStreams(table).every((stream) => isComplete(context, stream)) && !context.isWithheld(table)
}

function number(stream: StreamName): string {
  return String(streamIndex(stream))
}
