import type { StreamName } from '@collab-etl/core'
import type { TableName } from '../tables/table.ts'
import type { PublishContext } from './context.ts'
import { sharesOf } from './deletes.ts'

/** What was stored of the project before. */
export interface Presence {
  /** Tables that hold rows of it, live or not. */
  readonly stored: ReadonlySet<TableName>
  /** Live rows that each scope answers for, where it may conclude that some are gone. */
  readonly live: ReadonlyMap<StreamName, number>
}

/** Looks what is stored, in one query but for the counts. */
export async function lookUp(context: PublishContext): Promise<Presence> {
  const tables = context.touchedTables
  const stored = new Set<TableName>()
  const live = new Map<StreamName, number>()
  if (tables.length === 0) return { stored, live }
  const exists = tables.map(({ name }) => {
    const sql = context.sqlOf(name)
    // a webhook that comes to this project may be stored as another's
    return `EXISTS (SELECT FROM ${sql.target} t WHERE ${name === 'webhooks' ? 'true' : sql.ofProject('t')})`
  })
  const { rows } = await context.run(`SELECT ${exists.join(', ')}`)
  for (const [index, { name }] of tables.entries()) if (rows[0]?.[index] === true) stored.add(name)
  for (const table of tables) {
    if (!stored.has(table.name) || !table.streams.every((stream) => context.mayDelete(stream))) continue
    const sql = context.sqlOf(table.name)
    const shares =
      table.deletedBy === 'gone' ? [{ stream: table.streams[0], where: '', values: {} }] : sharesOf(context, table)
    for (const { stream, where, values } of shares) {
      if (stream === undefined) continue
      if (table.deletedBy === 'gone' && context.scope(stream)?.gone.size === 0) continue
      const counted = await context.run(
        `SELECT count(*) FROM ${sql.target} t WHERE ${sql.ofProject('t')} AND t.deleted_at IS NULL ${where}`,
        values,
      )
      live.set(stream, Number(counted.rows[0]?.[0] ?? 0))
    }
  }
  return { stored, live }
}
