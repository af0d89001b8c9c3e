import type { StreamName } from '@collab-etl/contract/streams'
import { type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedScopes } from './stored-scopes.ts'
import type { LeftOutField, LossRow, UnreadItemRow } from './types.ts'

const LOSSES_AT_ONCE = 1000
export async function* readLosses(
  driver: Driver,
  schema: SchemaNames,
  { asOf, streams }: { readonly asOf?: Date | undefined; readonly streams: readonly string[] },
): AsyncGenerator<LossRow> {
  for (let offset = 0; ; offset += LOSSES_AT_ONCE) {
    const found = await driver.query(
      `WITH ${storedScopes(schema)}
       SELECT l.seq, l.pid, l.stream, l.record_key, l.field, l.kind, l.original
       FROM ${schema.main}.losses l
       JOIN stored s ON s.run_id = l.run_id AND s.stream = l.stream AND s.pid = coalesce(l.pid, '')
       WHERE l.stream = ANY ($2::text[]) ORDER BY l.run_id, l.seq LIMIT ${LOSSES_AT_ONCE} OFFSET ${offset}`,
      [asOf?.toISOString() ?? 'infinity', streams],
    )
    const losses = records<LossRow>(found)
    yield* losses
    if (losses.length < LOSSES_AT_ONCE) return
  }
}

export async function countLosses(driver: Driver, schema: SchemaNames, runId: string): Promise<Map<string, number>> {
  const { rows } = await driver.query(
    `SELECT kind, count(*) FROM ${schema.main}.losses WHERE run_id = $1 GROUP BY kind ORDER BY kind`,
    [runId],
  )
  return new Map(rows.map(([kind, count]) => [String(kind), Number(count)]))
}

export async function readLeftOutFields(driver: Driver, schema: SchemaNames, runId: string): Promise<LeftOutField[]> {
  const found = await driver.query(
    `SELECT pid, stream, regexp_replace(field, '\\[[0-9]+\\]', '[]', 'g') AS field,
       sum(CASE WHEN record_key = '*' THEN original::integer ELSE 1 END)::bigint AS records
     FROM ${schema.main}.losses WHERE run_id = $1 AND kind = 'left_out' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [runId],
  )
  return records<LeftOutField>(found)
}

const COLUMNS = `nullif(u.pid, '') AS pid, u.stream, u.item_id, u.source, u.error_code, u.error, u.first_failed_at, u.from_text`

export async function readUnreadOf(driver: Driver, schema: SchemaNames, runId: string): Promise<UnreadItemRow[]> {
  const found = await driver.query(
    `SELECT ${COLUMNS} FROM ${schema.main}.unread_items u WHERE run_id = $1 ORDER BY u.pid, u.stream, item_id`,
    [runId],
  )
  return records<UnreadItemRow>(found)
}

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
