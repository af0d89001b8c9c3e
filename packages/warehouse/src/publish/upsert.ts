import { streamAt } from '../staging/seq.ts'
import type { Table } from '../tables/table.ts'
import type { PublishContext } from './context.ts'

/**
 * Writes the staged rows of a table that are new or differ from what is stored. Tells whether rows may be stored that were
 * not staged: only then is it worth looking for what to mark deleted.
 */
export async function upsert(context: PublishContext, table: Table, isStored: boolean): Promise<boolean> {
  const isPartial = context.isPartial(table.name)
  if (!context.isStaged(table.name)) return isPartial ? context.hasUnseen(table.name) : isStored
  const sql = context.sqlOf(table.name)
  const isPartOfPartial = table.parent?.tables.some((parent) => context.isPartial(parent)) === true
  // looked for only where whatever is missing would be marked, and where all that was read is staged
  const isWhole = !isPartial && !isPartOfPartial && context.mayMark(table)
  const { rows } = await context.run(isStored ? sql.merge(isWhole) : sql.insertAll())
  let hasMissing = isPartial ? context.hasUnseen(table.name) : isStored && !isWhole
  for (const [stream, inserted, updated] of rows) {
    if (stream === null) {
      hasMissing = true
      continue
    }
    context.count(table.name, streamAt(Number(stream)), 'inserted', Number(inserted))
    context.count(table.name, streamAt(Number(stream)), 'updated', Number(updated))
  }
  return hasMissing
}
