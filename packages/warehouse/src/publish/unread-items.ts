import type { ScopeResult, StreamName } from '@collab-etl/contract/streams'
import { storable, storedId } from '../convert/text.ts'
import { records } from '../driver/driver.ts'
import type { UnreadItemRow } from '../run-log/types.ts'
import { KNOWN_ID_TABLES } from '../tables/known-ids.ts'
import type { PublishContext } from './context.ts'

/** An item of which a part could not be read has a longer id than the item itself. */
const COLUMNS = 'run_id, pid, stream, item_id, source, error_code, error, first_failed_at'

const RETURNED = `nullif(pid, '') AS pid, stream, item_id, source, error_code, error, first_failed_at`

/** The last run before this one that read the scope. Run by run, each by the key of the run log: a join would read the scopes of all runs. */
const previousRun = (main: string) => `(
  SELECT run_id FROM (
    SELECT r.run_id, r.started_at,
      (SELECT s.status FROM ${main}.run_scopes s WHERE s.run_id = r.run_id AND s.pid = @list AND s.stream = @stream) AS status
    FROM ${main}.runs r WHERE r.started_at < @at) p
  WHERE status IN ('complete', 'partial', 'drifted', 'refused') ORDER BY started_at DESC LIMIT 1)`

/**
 * Lists the items that could not be read, and those that an earlier run could not read and that this run did not request. An item
 * keeps the time at which it failed first, until a run reads it.
 */
export async function insertUnread(context: PublishContext): Promise<UnreadItemRow[]> {
  const listed: UnreadItemRow[] = []
  for (const { stream, result } of context.task.scopes) {
    if ((result.unread ?? []).length > 0) listed.push(...(await insertFailed(context, stream, result)))
    const ids = KNOWN_ID_TABLES.find(({ table }) => table === stream)
    if (ids !== undefined) listed.push(...(await insertWaiting(context, ids)))
  }
  return listed.sort((a, b) => (a.item_id < b.item_id ? -1 : 1))
}

async function insertFailed(
  context: PublishContext,
  stream: StreamName,
  { unread = [] }: ScopeResult,
): Promise<UnreadItemRow[]> {
  const { main } = context.task.schema
  const inserted = await context.run(
    `INSERT INTO ${main}.unread_items AS n (${COLUMNS})
     SELECT @run, @list, @stream, i.id, i.source, i.code, i.error, coalesce(u.first_failed_at, @at)
     FROM (SELECT DISTINCT ON (id) * FROM unnest(@ids, @sources, @codes, @texts) AS f (id, source, code, error) ORDER BY id) i
     LEFT JOIN (SELECT * FROM ${main}.unread_items WHERE run_id = ${previousRun(main)} AND pid = @list AND stream = @stream) u
       ON u.item_id = i.id
     ON CONFLICT (run_id, pid, stream, item_id) DO UPDATE SET error_code = excluded.error_code, error = excluded.error
     RETURNING ${RETURNED}`,
    {
      stream,
      ids: unread.map(({ id }) => storedId(id)),
      sources: unread.map(({ source }) => storable(source).text),
      codes: unread.map(({ error }) => storable(error.code).text),
      texts: unread.map(({ error }) => storable(error.message).text),
    },
  )
  return records<UnreadItemRow>(inserted)
}

async function insertWaiting(
  context: PublishContext,
  { known, id, table: stream }: (typeof KNOWN_ID_TABLES)[number],
): Promise<UnreadItemRow[]> {
  const { main } = context.task.schema
  const waiting = `SELECT ${id} FROM ${main}.${known} WHERE pid = @pid AND unread`
  if ((await context.number(`SELECT count(*) FROM (${waiting} LIMIT 1) w`)) === 0) return []
  const inserted = await context.run(
    `INSERT INTO ${main}.unread_items (${COLUMNS})
     SELECT @run, u.pid, u.stream, u.item_id, u.source, u.error_code, u.error, u.first_failed_at FROM ${main}.unread_items u
     WHERE u.run_id = ${previousRun(main)} AND u.pid = @list AND u.stream = @stream AND u.item_id IN (${waiting})
     ON CONFLICT DO NOTHING RETURNING ${RETURNED}`,
    { stream },
  )
  return records<UnreadItemRow>(inserted)
}
