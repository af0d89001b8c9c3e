import type { KnownKind, KnownRow } from '../api.ts'
import { storable } from '../convert/text.ts'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'

const TABLES = {
  post: { known: 'known_posts', table: 'posts', id: 'post_id' },
  file: { known: 'known_files', table: 'files', id: 'fid' },
} as const

/** Ids that were found at any time, and those that are stored and not gone, in order. */
export async function readKnown(driver: Driver, schema: SchemaNames, kind: KnownKind, pid: string): Promise<string[]> {
  const { known, table, id } = TABLES[kind]
  const { rows } = await driver.query(
    `SELECT ${id} FROM ${schema.main}.${known} WHERE pid = $1
     UNION SELECT ${id} FROM ${schema.main}.${table} WHERE pid = $1 AND deleted_at IS NULL ORDER BY 1`,
    [storable(pid).text],
  )
  return rows.map(([value]) => String(value))
}

/** Adds ids; those that are known stay as they were first found. */
export async function insertKnownRows(driver: Driver, schema: SchemaNames, rows: readonly KnownRow[]): Promise<void> {
  for (const kind of ['post', 'file'] as const) {
    const { known, id } = TABLES[kind]
    const ofKind = rows.filter((row) => row.kind === kind)
    if (ofKind.length === 0) continue
    const column = (name: 'pid' | 'id' | 'source') => ofKind.map((row) => storable(row[name]).text)
    await driver.query(
      `INSERT INTO ${schema.main}.${known} (pid, ${id}, source, first_seen_at)
       SELECT DISTINCT ON (pid, id) pid, id, source, $4::timestamptz
       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u (pid, id, source, n) ORDER BY pid, id, n
       ON CONFLICT DO NOTHING`,
      [column('pid'), column('id'), column('source'), new Date().toISOString()],
    )
  }
}
