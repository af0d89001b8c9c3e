import type { TableName } from '../convert/table.ts'
import type { PublishContext } from './context.ts'

/** Names the tables that hold rows of the project, live or not, in one query. */
export async function storedTables(context: PublishContext): Promise<ReadonlySet<TableName>> {
  const tables = context.touchedTables
  if (tables.length === 0) return new Set()
  const exists = tables.map(({ name }) => {
    const sql = context.sqlOf(name)
    // a webhook that comes to this project may be stored as another's
    return `EXISTS (SELECT FROM ${sql.target} t WHERE ${name === 'webhooks' ? 'true' : sql.ofProject('t')})`
  })
  const { rows } = await context.run(`SELECT ${exists.join(', ')}`)
  return new Set(tables.filter((_, index) => rows[0]?.[index] === true).map(({ name }) => name))
}
