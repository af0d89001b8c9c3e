import { tableByName } from '../tables/index.ts'
import { keepArchived } from './both-lists.ts'
import { dropDuplicates, dropGone } from './duplicates.ts'
import { settleShown } from './shown-names.ts'
import type { StagedContext } from './staged-context.ts'
import { storedLists } from './webhook-lists.ts'

/** Prepares staged rows for storing or comparing: each record occurs once, with all its values. */
export async function prepareStaged(context: StagedContext): Promise<void> {
  await dropGone(context)
  await dropDuplicates(context)
  await keepLeftOut(context)
  await keepArchived(context)
  await settleShown(context)
}

/**
 * Fields that the service left out of records are unknown, not empty: their staged cells take the stored values, so that neither a
 * value nor a version changes. A row that is not stored yet has NULL there.
 */
async function keepLeftOut(context: StagedContext): Promise<void> {
  for (const { name } of [...context.touchedTables, tableByName('users')]) {
    const columns = context.leftOutOf(name)
    if (columns.length === 0 || !context.isStaged(name)) continue
    const stored = name === 'webhooks' ? storedLists(context.task.schema) : undefined
    await context.run(context.sqlOf(name).keepLeftOut(columns, stored))
  }
}
