import { OVERDUE } from '@collab-etl/contract/streams'
import { expectSame } from '../driver/written-rows.ts'
import { storedId } from '../records/text.ts'
import { KNOWN_ID_TABLES } from '../tables/index.ts'
import type { PublishContext } from './context.ts'

/** Keeps discovered ids, those of other projects too: in the order of their keys, so that projects that publish at once do not deadlock. */
export async function insertKnown(context: PublishContext): Promise<void> {
  const { slot, schema } = context.task
  for (const { known, id } of KNOWN_ID_TABLES) {
    if (!slot.has(known)) continue
    await context.run(
      `INSERT INTO ${schema.main}.${known} (pid, ${id}, source, first_seen_at)
       SELECT DISTINCT ON (pid, ${id}) pid, ${id}, source, @at FROM ${slot.table(known)} ORDER BY pid, ${id}, _seq, source
       ON CONFLICT DO NOTHING`,
    )
  }
}

/** Codes of items that were not requested, because too many before them failed or the request budget was used up. */
export const NOT_TRIED: ReadonlySet<string> = new Set(['NOT_REQUESTED', OVERDUE])

/** The longest time between two requests for an id that does not exist. */
const LONGEST_WAIT_DAYS = 30

/** When an id is requested again after it failed `missed` times before; less the six hours by which one nightly run may begin early. */
const ASK_AGAIN = `@at::timestamptz + make_interval(days => least(${LONGEST_WAIT_DAYS}, 1 << least(missed, 5)), hours => -6)`

/**
 * Notes which ids the service did not find, and which ids that only texts name could not be read: both are requested again after
 * 1, 2, 4, … days. Ids that are stored or named by a field are requested in every run.
 */
export async function noteMissing(context: PublishContext): Promise<void> {
  const { schema } = context.task
  await findDoubted(context)
  for (const { known: name, id, table } of KNOWN_ID_TABLES) {
    if (!context.touchedTables.some((touched) => touched.name === table)) continue
    const known = `${schema.main}.${name}`
    const ids = context.goneIds(table)
    if (ids.length > 0) {
      context.doubted.add(table)
      await context.run(
        `UPDATE ${known} SET missed = missed + 1, unread = false, ask_again_at = ${ASK_AGAIN} WHERE pid = @pid AND ${id} = ANY (@ids)`,
        { ids },
      )
    }
    const unread = context.scope(table)?.result.unread ?? []
    const idsOf = (items: typeof unread) => items.map((item) => storedId(item.id))
    const failed = unread.filter(({ error }) => !NOT_TRIED.has(error.code))
    if (failed.length > 0) {
      context.doubted.add(table)
      await context.run(
        `UPDATE ${known} SET unread = true, missed = CASE WHEN ${id} = ANY (@texts) THEN missed + 1 ELSE missed END,
           ask_again_at = CASE WHEN ${id} = ANY (@texts) THEN ${ASK_AGAIN} END
         WHERE pid = @pid AND ${id} = ANY (@ids)`,
        { ids: idsOf(failed), texts: idsOf(failed.filter(({ isFromText }) => isFromText)) },
      )
    }
    if (!context.doubted.has(table)) continue
    // One that failed stays unread until it is read: this may be a later part of the run, which requests others.
    const orRead = context.isStaged(table)
      ? `OR ${id} IN (SELECT s.${id} FROM ${context.sqlOf(table).stage} s WHERE s.pid = @pid)`
      : ''
    await context.run(
      `UPDATE ${known} k SET missed = 0, unread = false, ask_again_at = NULL
       WHERE pid = @pid AND (missed > 0 OR unread) AND NOT (${id} = ANY (@unread)) AND (NOT unread ${orRead})
         AND EXISTS (SELECT FROM ${schema.main}.${table} t WHERE t.pid = k.pid AND t.${id} = k.${id} AND t.deleted_at IS NULL)`,
      { unread: idsOf(unread) },
    )
  }
}

/** Finds out, by one statement, of which tables an earlier run missed ids of the project or could not read them. */
async function findDoubted(context: PublishContext): Promise<void> {
  const tables = KNOWN_ID_TABLES.filter(({ table }) => context.scope(table) !== undefined)
  if (tables.length === 0) return
  const { main } = context.task.schema
  const exists = tables.map(
    ({ known }) => `EXISTS (SELECT FROM ${main}.${known} WHERE pid = @pid AND (missed > 0 OR unread))`,
  )
  const { rows } = await context.run(`SELECT ${exists.join(', ')}`)
  for (const [index, { table }] of tables.entries()) if (rows[0]?.[index] === true) context.doubted.add(table)
}

/** On tables with triggers: all staged ids must be stored. */
export async function expectKnown(context: PublishContext, triggered: ReadonlySet<string>): Promise<void> {
  const { slot, schema } = context.task
  for (const { known, id } of KNOWN_ID_TABLES) {
    if (!triggered.has(known) || !slot.has(known)) continue
    const missing = await context.number(
      `SELECT count(*) FROM ${slot.table(known)} s
       WHERE NOT EXISTS (SELECT FROM ${schema.main}.${known} k WHERE k.pid = s.pid AND k.${id} = s.${id})`,
    )
    expectSame(known, missing)
  }
}
