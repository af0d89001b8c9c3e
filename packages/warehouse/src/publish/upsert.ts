import type { QueryResult } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import { streamAt } from '../staging/shape.ts'
import type { Table } from '../tables/table.ts'
import type { PublishContext } from './context.ts'

/**
 * Writes the staged rows of a table that are new or differ from what is stored. Returns whether stored rows
 * may be missing from the stage: only then is it worth looking for rows to mark deleted.
 */
export async function upsert(context: PublishContext, table: Table, isStored: boolean): Promise<boolean> {
  const isPartial = context.isPartial(table.name)
  if (!context.isStaged(table.name)) return isPartial ? context.mayLack(table.name) : isStored
  if (!isStored) {
    await insertAll(context, table)
    return false
  }
  const sql = context.sqlOf(table.name)
  const isPartOfPartial = table.parent?.tables.some((parent) => context.isPartial(parent)) === true
  // looked for only where missing rows would be marked, and where all that was read is staged
  const isWhole = !isPartial && !isPartOfPartial && context.mayMark(table)
  const result = await context.run(sql.merge(isWhole, context.isRetry, context.isFew(table)))
  await expectMerged(context, table, result)
  let hasMissing = isPartial ? context.mayLack(table.name) : !isWhole
  for (const [stream, inserted, updated] of result.rows) {
    if (stream === null) {
      hasMissing = true
      continue
    }
    context.count(table.name, streamAt(Number(stream)), 'inserted', Number(inserted))
    context.count(table.name, streamAt(Number(stream)), 'updated', Number(updated))
  }
  return hasMissing
}

/** Inserts all staged rows. They are counted only if fewer or more are stored than were copied in: duplicates were dropped, or a trigger interfered. */
async function insertAll(context: PublishContext, table: Table): Promise<void> {
  const sql = context.sqlOf(table.name)
  const { count } = await context.run(sql.insertAll())
  const [only, ...others] = context.task.scopes.filter(({ staged }) => (staged.get(table.name) ?? 0) > 0)
  const isAll = others.length === 0 && only?.staged.get(table.name) === count && !context.restaged.has(table.name)
  if (only !== undefined && isAll) {
    context.count(table.name, only.stream, 'inserted', count)
    return
  }
  const { rows } = await context.run(sql.countStaged())
  const staged = sumOf(rows, 1)
  await expectInserted(context, table, count, staged)
  for (const [stream, inserted] of rows) {
    context.count(table.name, streamAt(Number(stream)), 'inserted', Number(inserted))
  }
}

/** A row that another session changed since the statement began was not updated: the transaction is tried again. */
async function expectMerged(context: PublishContext, table: Table, { rows }: QueryResult): Promise<void> {
  const staged = rows.filter(([stream]) => stream !== null)
  const [, , , , , added = 0, changed = 0, kept = 0] = rows[0] ?? []
  expectRows(table.name, 'updated', Number(changed), sumOf(staged, 3))
  expectRows(`history of ${table.name}`, 'inserted', Number(kept), sumOf(staged, 4))
  await expectInserted(context, table, Number(added), sumOf(staged, 1))
}

/** A row that another project inserted at the same time stays with that project. */
async function expectInserted(context: PublishContext, table: Table, added: number, given: number): Promise<void> {
  const sql = context.sqlOf(table.name)
  const others = sql.isShared && added < given ? given - added - (await context.number(sql.countNotStored())) : 0
  expectRows(table.name, 'inserted', added + others, given)
}

function sumOf(rows: readonly unknown[][], column: number): number {
  return rows.reduce((sum, row) => sum + Number(row[column]), 0)
}
