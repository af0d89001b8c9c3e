import type { Connection } from '../driver/driver.ts'
import { columnList, historyOf, quoted, type SchemaNames } from '../names.ts'
import { firstSeq, stagedColumns } from '../staging/shape.ts'
import { tableByName } from '../tables/index.ts'
import { versionColumns } from '../tables/table.ts'
import { runBound } from './bind.ts'
import type { PublishContext } from './context.ts'
import { markMissing } from './deletes.ts'
import { refusalOf } from './deletion-guard.ts'
import { beginOf, isOfOtherRun } from './history.ts'
import { nextLoss } from './issues.ts'
import type { StagedContext } from './staged-context.ts'
import { upsert } from './upsert.ts'

/*
 * A webhook is stored once, but several lists may hold it: those of projects, and the personal one. `webhook_lists` keeps the
 * last entries of each list. A webhook belongs to the project that it names, if that project's list has it, else to the project with the
 * smallest id (by bytes) whose list has it; if no project has it, it is a personal one. The order in which projects are read does not matter.
 * It is deleted when the last list drops it.
 */

const WEBHOOKS = tableByName('webhooks')

const VALUES = stagedColumns(WEBHOOKS)
  .map(({ name }) => name)
  .filter((name) => name !== 'wid' && name !== 'pid')

/** Whether an entry of a list names another project than the one whose list it is: then its `extra` has that project's id. */
const namesOther = (extra: string) => `((${extra} -> 'pid') IS NOT NULL)`

/** The order of the lists that have a webhook: it belongs to the first. */
const ORDER = `${namesOther("record -> 'extra'")}, pid = '', pid`

/** The entries of a list as rows of `webhooks`: `l` is a row of `webhook_lists`, `r` the values. */
const valuesOf = (schema: SchemaNames) => `LATERAL jsonb_populate_record(NULL::${schema.main}.webhooks, l.record) AS r`

const lists = (schema: SchemaNames) => `${schema.main}.webhook_lists`

/** The entries of this project's list when it was last read, as rows of `webhooks`. */
export function storedLists(schema: SchemaNames): string {
  return `(SELECT l.wid, ${columnList(VALUES, 'r')} FROM ${lists(schema)} l, ${valuesOf(schema)} WHERE l.pid = @list)`
}

/** Condition: this project's list had webhook `t` when it was last read, and does not have it now. */
export function isListed(context: StagedContext): string {
  const { stage } = context.sqlOf('webhooks')
  return `EXISTS (SELECT FROM ${lists(context.task.schema)} l WHERE l.wid = t.wid AND l.pid = @list)
    AND NOT EXISTS (SELECT FROM ${stage} s WHERE s.wid = t.wid)`
}

/** Locks the lists until the transaction ends: each project must see the entries that others have just written. */
function lockLists(connection: Pick<Connection, 'query'>, schema: SchemaNames): Promise<unknown> {
  return connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `collab-etl webhooks ${schema.name}`,
  ])
}

/** Publishes a list of webhooks, as the last of the project's tables: other projects wait for it. */
export async function publishWebhooks(context: PublishContext): Promise<void> {
  if (!context.touchedTables.includes(WEBHOOKS)) return
  const live = await refuseWebhooks(context)
  if (live === 0 && !context.isStaged('webhooks')) return
  const { stage } = context.webhookSql
  await lockLists(context.connection, context.task.schema)
  const dropped = await updateList(context, stage)
  await stageOwned(context, stage, dropped)
  if (await upsert(context, WEBHOOKS, true)) await markMissing(context, WEBHOOKS)
}

/** Applies the deletion guard to the entries that the list lacks; gives how many are stored. */
export async function refuseWebhooks(context: PublishContext): Promise<number> {
  const { schema, limits } = context.task
  const { stage, target, ofProject } = context.webhookSql
  const staged = `EXISTS (SELECT FROM ${stage} s WHERE s.wid = b.wid)`
  const { rows } = await context.run(
    `SELECT count(*), count(*) FILTER (WHERE NOT ${staged}) FROM (
       SELECT wid FROM ${lists(schema)} WHERE pid = @list
       UNION SELECT wid FROM ${target} t WHERE ${ofProject} AND deleted_at IS NULL) b`,
  )
  const [live = 0, missing = 0] = (rows[0] ?? []).map(Number)
  context.counted.add('webhooks')
  if (missing > 0 && context.mayDelete('webhooks')) {
    const counted = await context.comparableRows(WEBHOOKS, 'webhooks', live)
    const refusal = refusalOf(limits, 'webhooks', { missing, live, counted })
    if (refusal !== null) context.refused.set('webhooks', refusal)
  }
  return live
}

/**
 * Stores the current entries of the list; returns the ids of those that it no longer has. If the deletion guard refuses, the answer may
 * be that of another list: then entries that name another project are not stored, or later runs would find them missing here.
 */
async function updateList(context: PublishContext, stage: string): Promise<string[]> {
  const table = lists(context.task.schema)
  const own = context.refused.has('webhooks') ? `WHERE NOT ${namesOther('s.extra')}` : ''
  await context.run(
    `INSERT INTO ${table} AS l (wid, pid, record) SELECT wid, @list, to_jsonb(s) - '{wid,pid,_left_out,_shown,_seq}'::text[] FROM ${stage} s ${own}
     ON CONFLICT (wid, pid) DO UPDATE SET record = excluded.record WHERE l.record IS DISTINCT FROM excluded.record`,
  )
  if (!context.mayDelete('webhooks') || context.isWithheld(WEBHOOKS)) return []
  const { rows } = await context.run(
    `DELETE FROM ${table} l WHERE pid = @list AND NOT EXISTS (SELECT FROM ${stage} s WHERE s.wid = l.wid) RETURNING wid`,
  )
  return rows.map(([wid]) => String(wid))
}

/** Stages, in place of what the list holds, the rows that follow from all lists for these webhooks. */
async function stageOwned(context: PublishContext, stage: string, dropped: readonly string[]): Promise<void> {
  const { schema } = context.task
  await context.run(
    `WITH affected AS (SELECT wid FROM ${stage} UNION SELECT unnest(@ids)),
      owned AS (
        SELECT DISTINCT ON (wid) wid, pid, record FROM ${lists(schema)} JOIN affected USING (wid) ORDER BY wid, ${ORDER}),
      cleared AS (DELETE FROM ${stage})
     INSERT INTO ${stage} (wid, pid, ${columnList(VALUES)}, _seq)
     SELECT l.wid, nullif(l.pid, ''), ${columnList(VALUES, 'r')}, ${firstSeq('webhooks')} FROM owned l, ${valuesOf(schema)}`,
    { ids: dropped },
  )
  context.restaged.add('webhooks')
}

/** Webhooks that belong to another list are not compared with this one. */
export async function dropOfOtherLists(context: StagedContext): Promise<void> {
  if (!context.isStaged('webhooks')) return
  await context.run(
    `DELETE FROM ${context.sqlOf('webhooks').stage} s USING ${lists(context.task.schema)} l
     WHERE l.wid = s.wid
       AND (${namesOther("l.record -> 'extra'")}, l.pid = '', l.pid) < (${namesOther('s.extra')}, @list = '', @list)`,
  )
}

/** Empties the list of a project that is gone: its webhooks move to the next list that has them. */
export async function dropList(connection: Connection, schema: SchemaNames, pid: string, at: Date): Promise<void> {
  await lockLists(connection, schema)
  const values = { pid, at: at.toISOString() }
  await runBound(connection, `DELETE FROM ${lists(schema)} WHERE pid = @pid`, values)
  const versions = versionColumns(WEBHOOKS)
  await runBound(
    connection,
    `WITH next AS (SELECT DISTINCT ON (wid) wid, pid, record FROM ${lists(schema)} ORDER BY wid, ${ORDER}),
      kept AS (
        INSERT INTO ${historyOf(schema, WEBHOOKS)} (${columnList(versions)}, valid_from, valid_to)
        SELECT ${columnList(versions, 't')}, ${beginOf('t.valid_from')}, @at FROM ${schema.main}.webhooks t JOIN next ON next.wid = t.wid
        WHERE t.pid = @pid AND t.deleted_at IS NULL AND ${isOfOtherRun('t.valid_from')})
     UPDATE ${schema.main}.webhooks t SET pid = nullif(l.pid, ''),
       ${VALUES.map((name) => `${quoted(name)} = r.${quoted(name)}`).join(', ')}, valid_from = @at
     FROM next l, ${valuesOf(schema)} WHERE t.wid = l.wid AND t.pid = @pid AND t.deleted_at IS NULL`,
    values,
  )
}

/**
 * Lists each webhook that a list of this run, or of the run that it resumes, shares with another one: one loss for each list that it is not
 * stored from.
 */
export async function insertListLosses(connection: Connection, schema: SchemaNames, runId: string): Promise<number> {
  const first = await nextLoss(connection, schema, runId)
  const { count } = await connection.query(
    `INSERT INTO ${schema.main}.losses (run_id, seq, pid, stream, record_key, field, kind, original)
     SELECT $1, $2::bigint + row_number() OVER (ORDER BY wid, pid) - 1, nullif(pid, ''), 'webhooks', wid, '', 'duplicate', record::text
     FROM (SELECT *, row_number() OVER (PARTITION BY wid ORDER BY ${ORDER}) AS place,
             bool_or(pid IN (
               SELECT s.pid FROM ${schema.main}.run_scopes s WHERE s.run_id = $1 AND s.stream = 'webhooks' AND (s.content_hash IS NOT NULL OR s.error_code = 'RESUMED'))) OVER (PARTITION BY wid) AS is_read FROM ${lists(schema)}) l
     WHERE place > 1 AND is_read`,
    [runId, first],
  )
  return count
}
