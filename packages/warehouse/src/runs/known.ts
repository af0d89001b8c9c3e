import { isAskableId, isShortenedId } from '@collab-etl/contract/id'
import { type Driver, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { storable, storedId } from '../records/text.ts'
import { KNOWN_IDS } from '../tables/index.ts'
import type { KnownId, KnownKind, KnownRow } from './types.ts'

/** Longer than any wait: a later date was written under a wrong clock. */
const LONGEST_WAIT_DAYS = 31

/** The sources that are texts, which may name any id. Ids of files are in fields of comments and files too: `comment` and `file`. */
const TEXT_SOURCES: Readonly<Record<KnownKind, readonly string[]>> = {
  post: ['page', 'task', 'event', 'comment', 'post', 'file'],
  file: ['page', 'task', 'event', 'post', 'comment_text'],
}

/**
 * Ids that were discovered at any time, and those that are stored and live, in order; with each, whether it is worth requesting now.
 * Without those that are stored shortened: the service does not know them by that name, and its answer would mark them deleted.
 */
export async function readKnownIds(
  driver: Driver,
  schema: SchemaNames,
  kind: KnownKind,
  pid: string,
): Promise<KnownId[]> {
  const { known, table, id } = KNOWN_IDS[kind]
  const found = await driver.query(
    `SELECT coalesce(k.${id}, t.${id}) AS id, coalesce(k.source, 'stored') AS source,
       coalesce(t.lives IS NOT TRUE AND k.ask_again_at > $2::timestamptz
         AND k.ask_again_at < $2::timestamptz + make_interval(days => ${LONGEST_WAIT_DAYS}), false) AS "isWaiting",
       coalesce(t.lives IS NOT TRUE AND (k.missed = 0 OR k.unread) AND k.source = ANY ($3::text[]), false) AS "isDoubtful",
       coalesce(t.${id} IS NULL AND k.source = ANY ($3::text[]), false) AS "isFromText",
       coalesce(k.unread, false) AS "isUnread", t.lives IS TRUE AS "isStored"
     FROM (SELECT * FROM ${schema.main}.${known} WHERE pid = $1) k
     FULL JOIN (SELECT ${id}, deleted_at IS NULL AS lives FROM ${schema.main}.${table} WHERE pid = $1) t ON t.${id} = k.${id}
     WHERE k.${id} IS NOT NULL OR t.lives ORDER BY 1`,
    [storedId(pid), new Date().toISOString(), TEXT_SOURCES[kind]],
  )
  return records<KnownId>(found).filter((each) => !isShortenedId(each.id))
}

export async function insertKnownRows(driver: Driver, schema: SchemaNames, rows: readonly KnownRow[]): Promise<void> {
  for (const kind of ['post', 'file'] as const) {
    const { known, id: column } = KNOWN_IDS[kind]
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
