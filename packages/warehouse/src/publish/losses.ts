import { expectRows } from '../driver/written-rows.ts'
import type { PublishContext } from './context.ts'

/** Kinds that a service may cause in every record of every run: they are listed once where all records of a scope have them. */
const OF_ALL_RECORDS = ['left_out', 'coerced']

/**
 * Lists a field that every record of a scope was sent without, or in another form, once: as record `*`, with the number of records.
 * That is exact, and an older service does not add a row for each record in every run.
 */
async function joinLosses(context: PublishContext, staged: string): Promise<void> {
  const scopes = context.task.scopes.filter(({ result }) => result.read > 1)
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

/** Lists the losses, numbered within the run; gives how many there are. */
export async function insertLosses(context: PublishContext): Promise<number> {
  const { slot, schema } = context.task
  const staged = slot.table('losses')
  await joinLosses(context, staged)
  const { rows } = await context.run(`SELECT count(*) FROM ${staged}`)
  const count = Number(rows[0]?.[0] ?? 0)
  if (count === 0) return 0
  const inserted = await context.run(
    `INSERT INTO ${schema.main}.losses (run_id, seq, pid, stream, record_key, field, kind, original)
     SELECT @run, @base + row_number() OVER (ORDER BY _seq, ctid) - 1, @pid, stream, record_key, field, kind, original FROM ${staged}`,
    { base: context.task.reserveLosses(count) },
  )
  expectRows('losses', 'inserted', inserted.count, count)
  return count
}
