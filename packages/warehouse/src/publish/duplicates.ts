import { STREAMS } from '@collab-etl/contract/streams'
import { columnList, quoted } from '../names.ts'
import { mayRepeat, SEQ_BITS } from '../staging/shape.ts'
import { TABLES } from '../tables/index.ts'
import type { TableName } from '../tables/table.ts'
import { mergeCopies, type SeenCopy, stageSeen } from './both-lists.ts'
import type { StagedContext } from './staged-context.ts'
import { streamOf, type TableSql } from './table-sql.ts'

/** Rows that stay when a record is removed: other records rely on them. */
const NOT_OF_ONE_RECORD: ReadonlySet<TableName> = new Set(['users', 'entries'])

const STREAM_NAMES = `(ARRAY[${STREAMS.map((stream) => `'${stream}'`).join(', ')}])`

const REREAD = STREAMS.findIndex(mayRepeat)

/**
 * Removes records that came twice: the later one stays. One that came twice within a stream is listed as a loss. The two copies of a
 * task that is in both lists are merged.
 */
export async function dropDuplicates(context: StagedContext): Promise<void> {
  for (const table of TABLES) {
    if (table.isRecord !== true || !context.isStaged(table.name)) continue
    const sql = context.sqlOf(table.name)
    if (context.isPartial(table.name)) await dropSeen(context, sql)
    else if (context.stagedRows(table.name) === 1 && !context.restaged.has(table.name)) continue
    // a project's own row has no key beyond the id that the whole stage shares
    const group = sql.keys.length === 0 ? '' : `GROUP BY ${columnList(sql.keys)}`
    const { rows } = await context.run(
      `SELECT 1 FROM ${sql.stage} s WHERE ${sql.candidates('s')} ${group} HAVING count(*) > 1 LIMIT 1`,
    )
    if (rows.length > 0) await dropEarlier(context, sql)
    if (rows.length > 0 && table.name === 'tasks') await dropRecords(context, await mergeCopies(context))
  }
}

async function dropEarlier(context: StagedContext, sql: TableSql): Promise<void> {
  context.hasDuplicates = true
  const partition = sql.keys.length === 0 ? '' : `PARTITION BY ${columnList(sql.keys)}, ${streamOf('s')}`
  // the issue names the project itself
  const pid = sql.isShared ? '' : 'pid,'
  const key =
    sql.keys.length === 0 ? '@pid' : `concat_ws(' ', ${sql.keys.map((name) => keyText(sql, name)).join(', ')})`
  const { rows } = await context.run(
    `WITH ranked AS (SELECT s.*, max(_seq) OVER (${partition}) AS _last FROM ${sql.stage} s WHERE ${sql.candidates('s')}),
      earlier AS (SELECT * FROM ranked WHERE _seq < _last),
      listed AS (
        INSERT INTO ${context.task.slot.table('losses')} (stream, record_key, field, kind, original, _seq)
        SELECT ${STREAM_NAMES}[${streamOf('s')} + 1], ${key}, '', 'duplicate', (to_jsonb(s) - '{${pid}_seq,_last,_left_out,_shown,record_hash}'::text[])::text, _seq
        FROM earlier s WHERE ${streamOf('s')} <> ${REREAD} ORDER BY _seq)
      SELECT _seq FROM earlier`,
  )
  await dropRecords(context, rows.map(Number))
}

/** A column of a key as it is listed; times in the form that `rows` gives, not in that of Postgres. */
function keyText({ table }: TableSql, name: string): string {
  const isTime = table.columns.find((column) => column.name === name)?.type === 'timestamptz'
  const text = `to_char(${quoted(name)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  return isTime ? `regexp_replace(${text}, '(\\.\\d{3})000Z$', '\\1Z')` : quoted(name)
}

/**
 * Handles records that came twice, once unchanged (not staged) and once changed. If the unchanged version came last, the staged one is
 * removed. If they came from the two lists of tasks, the stored one is staged as well.
 */
async function dropSeen(context: StagedContext, sql: TableSql): Promise<void> {
  const hashes = context.task.hashes.get(sql.table.name)
  const dropped: number[] = []
  const seen = new Map<number, SeenCopy>()
  const lost = { streams: [] as number[], ids: [] as string[], texts: [] as string[], seqs: [] as number[] }
  const { rows } = await context.run(sql.stagedAndSeen(context.isFew(sql.table)))
  for (const [seq, hash, staged, stored, ...key] of rows) {
    const [ofStaged, ofStored] = [Number(seq), hashes?.seqOf(String(hash)) ?? 0]
    if (ofStaged >> SEQ_BITS !== ofStored >> SEQ_BITS && sql.table.name === 'tasks') {
      seen.set(ofStored, { seq: ofStored, hash: String(hash) })
      continue
    }
    const earlier = Math.min(ofStaged, ofStored)
    if (earlier === ofStaged) dropped.push(ofStaged)
    const stream = earlier >> SEQ_BITS
    if (stream !== Math.max(ofStaged, ofStored) >> SEQ_BITS || stream === REREAD) continue
    lost.streams.push(stream)
    lost.ids.push(key.join(' '))
    lost.texts.push(String(earlier === ofStaged ? staged : stored))
    lost.seqs.push(earlier)
  }
  if (lost.seqs.length > 0) {
    context.hasDuplicates = true
    await context.run(
      `INSERT INTO ${context.task.slot.table('losses')} (stream, record_key, field, kind, original, _seq)
       SELECT ${STREAM_NAMES}[stream + 1], id, '', 'duplicate', original, seq
       FROM unnest(@streams, @ids, @texts, @seqs) AS l (stream, id, original, seq)`,
      lost,
    )
  }
  await dropRecords(context, dropped)
  await stageSeen(context, sql.table, [...seen.values()])
}

/** Removes staged posts and files that are gone: they were read before they were deleted. */
export async function dropGone(context: StagedContext): Promise<void> {
  await dropGoneOf(context, 'posts', ['posts', 'post_comments'], 'post_id')
  await dropGoneOf(context, 'files', ['files', 'file_comments'], 'fid')
}

async function dropGoneOf(
  context: StagedContext,
  stream: 'posts' | 'files',
  tables: readonly ('posts' | 'post_comments' | 'files' | 'file_comments')[],
  id: string,
): Promise<void> {
  const ids = context.goneIds(stream)
  if (ids.length === 0) return
  for (const name of tables) {
    if (!context.isStaged(name)) continue
    const { rows } = await context.run(
      `SELECT _seq FROM ${context.sqlOf(name).stage} WHERE pid = @pid AND ${id} = ANY (@ids)`,
      {
        ids,
      },
    )
    await dropRecords(context, rows.map(Number))
  }
}

async function dropRecords(context: StagedContext, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  for (const { name } of TABLES) {
    if (NOT_OF_ONE_RECORD.has(name) || !context.task.slot.has(name)) continue
    const sql = context.sqlOf(name)
    await context.run(`DELETE FROM ${sql.stage} s WHERE ${sql.candidates('s')} AND s._seq = ANY (@seqs)`, { seqs })
  }
}
