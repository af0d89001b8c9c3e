import type { StreamName } from '@collab-etl/core'
import type { Table, TableName } from '../tables/table.ts'
import type { Values } from './bind.ts'
import type { PublishContext } from './context.ts'
import { type Share, sharesOf } from './deletes.ts'

/** What was stored of the project before. */
export interface Presence {
  /** Tables that hold rows of it, live or not. */
  readonly stored: ReadonlySet<TableName>
  /** Live rows that each scope answers for, where it may conclude that some are gone. */
  readonly live: ReadonlyMap<StreamName, number>
}

/** Looks what is stored, in one query. */
export async function lookUp(context: PublishContext): Promise<Presence> {
  const tables = context.touchedTables
  if (tables.length === 0) return { stored: new Set(), live: new Map() }
  const exists = tables.map(({ name }) => {
    const sql = context.sqlOf(name)
    // a webhook that comes to this project may be stored as another's
    return `EXISTS (SELECT FROM ${sql.target} t WHERE ${name === 'webhooks' ? 'true' : sql.ofProject('t')})`
  })
  const counts = tables.flatMap((table) => countedShares(context, table).map((share) => ({ table, share })))
  const counted = counts.map(({ table: { name }, share }) => {
    const sql = context.sqlOf(name)
    return `(SELECT count(*) FROM ${sql.target} t WHERE ${sql.ofProject('t')} AND t.deleted_at IS NULL ${share.where})`
  })
  const values: Values = Object.assign({}, ...counts.map(({ share }) => share.values))
  const { rows } = await context.run(`SELECT ${[...exists, ...counted].join(', ')}`, values)
  const found = rows[0] ?? []
  return {
    stored: new Set(tables.filter((_, index) => found[index] === true).map(({ name }) => name)),
    live: new Map(counts.map(({ share }, index) => [share.stream, Number(found[exists.length + index])])),
  }
}

/** The scopes of which rows may be marked deleted, and so are counted before. */
function countedShares(context: PublishContext, table: Table): readonly Share[] {
  if (table.isRecord !== true || !context.mayMark(table)) return []
  if (table.deletedBy === 'absence') return sharesOf(context, table)
  const [stream] = table.streams
  const isGone = table.deletedBy === 'gone' && context.goneIds(stream).length > 0
  return isGone ? [{ stream, where: '', values: {} }] : []
}
