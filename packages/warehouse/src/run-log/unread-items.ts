import type { StreamName } from '@collab-etl/contract/streams'
import { type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedScopes } from './stored-scopes.ts'
import type { UnreadItemRow } from './types.ts'

const COLUMNS = `nullif(u.pid, '') AS pid, u.stream, u.item_id, u.source, u.error_code, u.error, u.first_failed_at`

/** Items that one run could not read. */
export async function readUnreadOf(driver: Driver, schema: SchemaNames, runId: string): Promise<UnreadItemRow[]> {
  const found = await driver.query(
    `SELECT ${COLUMNS} FROM ${schema.main}.unread_items u WHERE run_id = $1 ORDER BY u.pid, u.stream, item_id`,
    [runId],
  )
  return records<UnreadItemRow>(found)
}

/** Items that could not be read in the readings that the rows of a time are from. */
export async function readUnreadItems(
  driver: Driver,
  schema: SchemaNames,
  { asOf, streams }: { readonly asOf?: Date | undefined; readonly streams: readonly StreamName[] },
): Promise<UnreadItemRow[]> {
  const found = await driver.query(
    `WITH ${storedScopes(schema)}
     SELECT ${COLUMNS} FROM ${schema.main}.unread_items u
     JOIN stored s ON s.run_id = u.run_id AND s.stream = u.stream AND s.pid = u.pid
     WHERE u.stream = ANY ($2::text[]) ORDER BY u.pid, u.stream, item_id`,
    [asOf?.toISOString() ?? 'infinity', streams],
  )
  return records<UnreadItemRow>(found)
}
