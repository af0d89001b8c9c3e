import { isStored, type ScopeResult, type StreamName } from '@collab-etl/contract/streams'
import { type Connection, records } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import type { SchemaNames } from '../names.ts'
import { storable, storedId } from '../records/text.ts'
import type { UnreadItemRow } from '../runs/types.ts'
import { KNOWN_ID_TABLES } from '../tables/index.ts'
import type { PublishContext } from './context.ts'

/** An item of which a part could not be read has a longer id than the item itself. */
const COLUMNS = 'run_id, pid, stream, item_id, source, error_code, error, first_failed_at, from_text'

const RETURNED = `nullif(pid, '') AS pid, stream, item_id, source, error_code, error, first_failed_at, from_text`

/** The last run before this one that read the scope. Run by run, each by the key of the run log: a join would read the scopes of all runs. */
export const previousRun = (main: string) => `(
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
  await forgetRead(context)
  const waiting = await withWaiting(context)
  const listed: UnreadItemRow[] = []
  for (const { stream, result } of context.task.scopes) {
    if ((result.unread ?? []).length > 0) listed.push(...(await insertFailed(context, stream, result)))
    const ids = waiting.find(({ table }) => table === stream)
    if (ids !== undefined) listed.push(...(await insertWaiting(context, ids)))
  }
  return listed.sort((a, b) => (a.item_id < b.item_id ? -1 : 1))
}

/** Deletes items that were unread when the run first published their project, and that it has read since, because another project names them. */
async function forgetRead(context: PublishContext): Promise<void> {
  if (context.task.isFirst) return
  const { main } = context.task.schema
  for (const { table: stream, known, id } of KNOWN_ID_TABLES) {
    if (context.scope(stream) === undefined) continue
    await context.run(
      `DELETE FROM ${main}.unread_items u USING ${main}.${known} k
       WHERE u.run_id = @run AND u.pid = @list AND u.stream = @stream AND k.pid = u.pid AND k.${id} = u.item_id AND NOT k.unread`,
      { stream },
    )
  }
}

/** The tables of known ids of this project's scopes that have unread ones, by one statement. */
async function withWaiting(context: PublishContext): Promise<(typeof KNOWN_ID_TABLES)[number][]> {
  const tables = KNOWN_ID_TABLES.filter(({ table }) => context.scope(table) !== undefined && context.doubted.has(table))
  if (tables.length === 0) return []
  const exists = tables.map(({ known }) => `EXISTS (${unreadIds(context, known, '')})`)
  const { rows } = await context.run(`SELECT ${exists.join(', ')}`)
  return tables.filter((_, index) => rows[0]?.[index] === true)
}

function unreadIds({ task }: PublishContext, known: string, id: string): string {
  return `SELECT ${id} FROM ${task.schema.main}.${known} WHERE pid = @pid AND unread`
}

async function insertFailed(
  context: PublishContext,
  stream: StreamName,
  { unread = [] }: ScopeResult,
): Promise<UnreadItemRow[]> {
  const { main } = context.task.schema
  const inserted = await context.run(
    `INSERT INTO ${main}.unread_items AS n (${COLUMNS})
     SELECT @run, @list, @stream, i.id, i.source, i.code, i.error, coalesce(u.first_failed_at, @at), i.doubtful
     FROM (SELECT DISTINCT ON (id) * FROM unnest(@ids, @sources, @codes, @texts, @flags) AS f (id, source, code, error, doubtful)
       ORDER BY id, doubtful) i
     LEFT JOIN (SELECT * FROM ${main}.unread_items WHERE run_id = ${previousRun(main)} AND pid = @list AND stream = @stream) u
       ON u.item_id = i.id
     ON CONFLICT (run_id, pid, stream, item_id) DO UPDATE SET error_code = excluded.error_code, error = excluded.error,
       from_text = n.from_text AND excluded.from_text
     RETURNING ${RETURNED}`,
    {
      stream,
      ids: unread.map(({ id }) => storedId(id)),
      sources: unread.map(({ source }) => storable(source).text),
      codes: unread.map(({ error }) => storable(error.code).text),
      texts: unread.map(({ error }) => storable(error.message).text),
      flags: unread.map(({ isFromText }) => isFromText),
    },
  )
  return records<UnreadItemRow>(inserted)
}

async function insertWaiting(
  context: PublishContext,
  { known, id, table: stream }: (typeof KNOWN_ID_TABLES)[number],
): Promise<UnreadItemRow[]> {
  const { main } = context.task.schema
  const inserted = await context.run(
    `INSERT INTO ${main}.unread_items (${COLUMNS})
     SELECT @run, u.pid, u.stream, u.item_id, u.source, u.error_code, u.error, u.first_failed_at, u.from_text FROM ${main}.unread_items u
     WHERE u.run_id = ${previousRun(main)} AND u.pid = @list AND u.stream = @stream AND u.item_id IN (${unreadIds(context, known, id)})
     ON CONFLICT DO NOTHING RETURNING ${RETURNED}`,
    { stream },
  )
  return records<UnreadItemRow>(inserted)
}

/** Kinds that a service may cause in every record of every run: they are listed once where all records of a scope have them. */
const OF_ALL_RECORDS = ['left_out', 'coerced']

/** Of a scope that could not be read no record is kept, so that none was replaced by its duplicate. */
async function dropOfUnread(context: PublishContext, staged: string): Promise<void> {
  const { scopes } = context.task
  const unread = scopes.filter(({ losses, result }) => losses > 0 && !isStored(result))
  if (unread.length === 0) return
  const texts = unread.map(({ stream }) => stream)
  await context.run(`DELETE FROM ${staged} WHERE kind = 'duplicate' AND field = '' AND stream = ANY (@texts)`, {
    texts,
  })
}

/**
 * Lists a field that every record of a scope was sent without, or in another form, once: as record `*`, with the number of records.
 * That is exact, and an older service does not add a row for each record in every run.
 */
async function joinLosses(context: PublishContext, staged: string): Promise<void> {
  const scopes = context.task.scopes.filter(({ losses, result }) => losses > 0 && result.read > 1)
  if (scopes.length === 0) return
  await context.run(
    `WITH joined AS (
        SELECT l.stream, l.field, l.kind, count(DISTINCT l.record_key) AS records, min(l._seq) AS _seq
        FROM ${staged} l JOIN unnest(@texts, @seqs) AS r (stream, records) ON r.stream = l.stream
        WHERE l.kind = ANY (@ids) GROUP BY l.stream, l.field, l.kind, r.records HAVING count(DISTINCT l.record_key) >= r.records
      ), dropped AS (
        DELETE FROM ${staged} l USING joined j WHERE l.stream = j.stream AND l.field = j.field AND l.kind = j.kind)
     INSERT INTO ${staged} (stream, record_key, field, kind, original, _seq)
     SELECT stream, '*', field, kind, records::text, _seq FROM joined`,
    { texts: scopes.map(({ stream }) => stream), seqs: scopes.map(({ result }) => result.read), ids: OF_ALL_RECORDS },
  )
}

/**
 * The next number of a conversion issue within a run. Other transactions that list conversion issues wait until this one ends, because
 * several processes may publish projects of one run.
 */
export async function nextLoss(connection: Connection, schema: SchemaNames, runId: string): Promise<number> {
  const lock = `collab-etl losses ${schema.name}`
  await connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lock])
  // a separate statement, so that it sees rows that were committed while this one waited for the lock
  const { rows } = await connection.query(
    `SELECT coalesce(max(seq), 0) + 1 FROM ${schema.main}.losses WHERE run_id = $1`,
    [runId],
  )
  return Number(rows[0]?.[0])
}

/** Lists the losses, numbered within the run; gives how many there are. */
export async function insertLosses(context: PublishContext): Promise<number> {
  const { slot, schema, scopes } = context.task
  if (!context.hasDuplicates && scopes.every(({ losses }) => losses === 0)) return 0
  const staged = slot.table('losses')
  await dropOfUnread(context, staged)
  await joinLosses(context, staged)
  const { rows } = await context.run(`SELECT count(*) FROM ${staged}`)
  const count = Number(rows[0]?.[0] ?? 0)
  if (count === 0) return 0
  const inserted = await context.run(
    `INSERT INTO ${schema.main}.losses (run_id, seq, pid, stream, record_key, field, kind, original)
     SELECT @run, @base + row_number() OVER (ORDER BY _seq, ctid) - 1, @pid, stream, record_key, field, kind, original FROM ${staged}`,
    { base: await nextLoss(context.connection, schema, context.task.run.id) },
  )
  expectRows('losses', 'inserted', inserted.count, count)
  return count
}
