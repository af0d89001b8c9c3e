import type { StreamName } from '@collab-etl/contract/streams'
import { TABLES } from '../tables/index.ts'
import type { PublishContext } from './context.ts'
import { sharesOf } from './deletes.ts'
import { isListed } from './webhook-lists.ts'

/**
 * Finds the scopes in which `null` came in place of a list and stored rows were not seen. `null` does not say that they are gone: these
 * scopes are `partial` and delete nothing. Where nothing is missing, `null` was an empty list, and the scope stays complete.
 */
export async function judgeNullLists(context: PublishContext): Promise<void> {
  for (const { stream, result, isNullList } of context.task.scopes) {
    if (!isNullList || result.status !== 'complete') continue
    const missing = await countMissing(context, stream)
    if (missing === 0) continue
    const rows = missing === 1 ? '1 stored row was' : `${missing} stored rows were`
    const message = `the service sent null instead of a list, and ${rows} not seen; null proves no deletion, so nothing is marked deleted`
    context.nullLists.set(stream, message)
  }
}

async function countMissing(context: PublishContext, stream: StreamName): Promise<number> {
  let missing = 0
  for (const table of TABLES) {
    if (table.isRecord !== true || !table.streams.includes(stream)) continue
    const sql = context.sqlOf(table.name)
    const isStaged = context.isStaged(table.name)
    for (const share of sharesOf(context, table).filter((each) => each.stream === stream)) {
      const isMissing = `${sql.isMissing(isStaged, context.isPartial(table.name))} ${share.where}`
      const isHeld = table.name === 'webhooks' ? `OR ${isListed(context)}` : ''
      missing += await context.number(`SELECT count(*) FROM ${sql.target} t WHERE ${isMissing} ${isHeld}`, share.values)
    }
  }
  return missing
}
