import { isAskableId, isShortenedId } from '@collab-etl/contract/id'
import type { KnownKind, KnownRow } from '../api.ts'
import { storable, storedId } from '../convert/text.ts'
import type { Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

const TABLES = {
  post: { known: 'known_posts', table: 'posts', id: 'post_id' },
  file: { known: 'known_files', table: 'files', id: 'fid' },
} as const

/**
 * Ids that were found at any time, and those that are stored and not gone, in order. Without those that are stored
 * shortened: the service knows nothing under such a name, and its answer would mark them deleted.
 */
export async function readKnown(driver: Driver, schema: SchemaNames, kind: KnownKind, pid: string): Promise<string[]> {
  const { known, table, id } = TABLES[kind]
  const { rows } = await driver.query(
    `SELECT ${id} FROM ${schema.main}.${known} WHERE pid = $1
     UNION SELECT ${id} FROM ${schema.main}.${table} WHERE pid = $1 AND deleted_at IS NULL ORDER BY 1`,
    [storedId(pid)],
  )
  return rows.map(([value]) => String(value)).filter((value) => !isShortenedId(value))
}

/** Adds ids; those that are known stay as they were first found. */
export async function insertKnownRows(driver: Driver, schema: SchemaNames, rows: readonly KnownRow[]): Promise<void> {
  for (const kind of ['post', 'file'] as const) {
    const { known, id: column } = TABLES[kind]
    const ofKind = rows.filter((row) => row.kind === kind)
    if (ofKind.length === 0) continue
    const unaskable = ofKind.find((row) => !isAskableId(row.id))
    if (unaskable !== undefined) {
      throw new WarehouseError(
        'MISUSE',
        `the service cannot be asked for ${kind} ${JSON.stringify(unaskable.id.slice(0, 40))}`,
      )
    }
    await driver.query(
      `INSERT INTO ${schema.main}.${known} (pid, ${column}, source, first_seen_at)
       SELECT DISTINCT ON (pid, id) pid, id, source, $4::timestamptz
       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u (pid, id, source, n) ORDER BY pid, id, n
       ON CONFLICT DO NOTHING`,
      [
        ofKind.map(({ pid }) => storedId(pid)),
        ofKind.map(({ id }) => id),
        ofKind.map(({ source }) => storable(source).text),
        new Date().toISOString(),
      ],
    )
  }
}
