import {
  POSSIBLY_CAPPED,
  type ScopeResult,
  type StreamName,
  type Suspicion,
  UNREAD_ITEMS,
  type UnreadItem,
} from '@collab-etl/contract/streams'
import { columnList } from '../names.ts'
import { storedId } from '../records/text.ts'
import { commentsOfStream, TABLES } from '../tables/index.ts'
import type { Table } from '../tables/table.ts'
import type { Values } from './bind.ts'
import type { PublishContext } from './context.ts'
import { eventsInDoubt, sharesOf } from './deletes.ts'
import { previousRun } from './issues.ts'
import type { StagedContext } from './staged-context.ts'
import { isListed, refuseWebhooks } from './webhook-lists.ts'

/*
 * A list is suspicious if it has a length at which services cut lists and the service does not state its length. It was probably cut if
 * it lacks stored rows, or ids that its own records name. `unconfirmed_rows` holds the keys of these. In the first run in which a key is
 * missing, the scope is not complete. If all keys have been missing since an earlier run, the scope is complete, with a warning, and the
 * rows wait: they stay live until a list of another length lacks them too, or `allowShrink` accepts that they are gone.
 */

/** What a suspicious list lacks. */
interface Evidence {
  /** Number of keys that no earlier run missed. */
  readonly fresh: number
  /** Of comments: the same by the id of their post or file. */
  readonly freshParents: ReadonlyMap<string, number>
  /** Number of keys that an earlier run missed already. */
  readonly waiting: number
}

/** Judges the scopes that have suspicious lists, before rows are stored. */
export async function judgeSuspicious(context: PublishContext): Promise<void> {
  // before any scope is ended otherwise: one of the two lists of tasks does not decide about the other
  const judged = new Set(
    context.task.scopes.map(({ stream }) => stream).filter((stream) => areAllRead(context, stream)),
  )
  for (const { stream, result } of context.task.scopes) {
    const { suspicious, status } = result
    if (suspicious === undefined || !isWhole(result)) continue
    if (!judged.has(stream) || areUnnamedComments(stream, suspicious)) {
      await warn(context, stream, suspicious, await countWaiting(context, stream))
      continue
    }
    // a list of webhooks may be that of another project
    if (stream === 'webhooks') await refuseWebhooks(context)
    if (context.refused.has(stream)) continue
    const evidence = await evidenceOf(context, stream, suspicious)
    if (evidence.fresh > 0) {
      await noteFresh(context, stream, suspicious)
      context.endAs(stream, endingOf(stream, result, suspicious, evidence))
      continue
    }
    if (status !== 'complete') continue
    const isConfirmed = context.task.limits.allowShrink
    if (evidence.waiting > 0 && !isConfirmed) context.withheld.add(stream)
    await warn(context, stream, suspicious, isConfirmed ? 0 : evidence.waiting)
  }
}

/**
 * Withholds rows in doubt from a comparison. Returns by stream why its scope is not complete, if its suspicious lists lack keys that no
 * earlier run missed.
 */
export async function withholdSuspicious(context: StagedContext): Promise<ReadonlyMap<StreamName, string>> {
  const reasons = new Map<StreamName, string>()
  for (const { stream, result } of context.task.scopes) {
    const { suspicious, status } = result
    if (suspicious === undefined || status !== 'complete' || waitingTable(stream) === undefined) continue
    if (areUnnamedComments(stream, suspicious)) continue
    const { fresh } = areAllRead(context, stream) ? await evidenceOf(context, stream, suspicious) : { fresh: 0 }
    if (fresh > 0) reasons.set(stream, reasonOf(stream, suspicious, fresh))
    // only now: events that are withheld are no evidence
    context.withheld.add(stream)
  }
  return reasons
}

/**
 * Removes the keys that are no longer missing or were marked deleted. Must be called after rows are marked. Only a complete reading shows that
 * an id is no longer named.
 */
export async function settleUnconfirmed(context: PublishContext): Promise<void> {
  for (const { stream, result } of context.task.scopes) {
    const table = waitingTable(stream)
    if (!context.waiting.has(stream) || table === undefined || !context.touchedTables.includes(table)) continue
    const rows = `SELECT FROM ${context.sqlOf(table.name).target} t WHERE ${keyOf(table)} = u.record_key`
    const onlyRows = result.status === 'complete' || result.suspicious !== undefined ? '' : `AND EXISTS (${rows})`
    await context.run(
      `DELETE FROM ${unconfirmed(context)} u WHERE u.pid = @list AND u.stream = @stream AND NOT (u.record_key = ANY (@texts))
         AND NOT EXISTS (${rows} AND (${isLacking(context, table)})) ${onlyRows}`,
      { stream, texts: namedIn(result.suspicious) },
    )
  }
}

/** The table whose rows a stream lets wait: that of its list, or of the comments of its posts or files. */
export function waitingTable(stream: StreamName): Table | undefined {
  const list = TABLES.find(({ isRecord, listedBy, deletedBy, streams }) => {
    if (listedBy === stream) return true
    return isRecord === true && deletedBy === 'absence' && streams.includes(stream)
  })
  return commentsOfStream(stream) ?? list
}

/** Whether it is not known whose lists of comments are suspicious. */
function areUnnamedComments(stream: StreamName, { parents }: Suspicion): boolean {
  return commentsOfStream(stream) !== undefined && parents === undefined
}

/** Whether all streams of a stream's table are complete: a task that one list lacks may be in the other. */
function areAllRead(context: StagedContext, stream: StreamName): boolean {
  const table = waitingTable(stream)
  const streams = table === undefined ? [] : context.decidingStreams(table)
  return streams.length > 0 && streams.every((each) => isWhole(context.scope(each)?.result))
}

/** Whether the lists of a scope are complete. Lists of comments can be complete in a `partial` scope, if only other posts or files could not be read. */
function isWhole({ status, suspicious }: Pick<ScopeResult, 'status' | 'suspicious'> = { status: 'skipped' }): boolean {
  return status === 'complete' || (status === 'partial' && suspicious?.parents !== undefined)
}

async function evidenceOf(context: StagedContext, stream: StreamName, suspicious: Suspicion): Promise<Evidence> {
  const lacking = lackingIn(context, stream, suspicious)
  const { rows } = await context.run(
    `SELECT l.parent, count(*) FILTER (WHERE u.record_key IS NULL OR u.since_run = @run), count(*)
     FROM (${lacking.sql}) l LEFT JOIN ${unconfirmed(context)} u
       ON u.pid = @list AND u.stream = @stream AND u.record_key = l.record_key COLLATE "C"
     GROUP BY l.parent`,
    lacking.values,
  )
  const fresh = rows.reduce((sum, [, count]) => sum + Number(count), 0)
  const all = rows.reduce((sum, [, , count]) => sum + Number(count), 0)
  const parents = rows.filter(([parent, count]) => parent !== null && Number(count) > 0)
  const freshParents = new Map(parents.map(([parent, count]) => [String(parent), Number(count)]))
  return { fresh, freshParents, waiting: all - fresh }
}

async function noteFresh(context: PublishContext, stream: StreamName, suspicious: Suspicion): Promise<void> {
  context.waiting.add(stream)
  const lacking = lackingIn(context, stream, suspicious)
  await context.run(
    `INSERT INTO ${unconfirmed(context)} (pid, stream, record_key, since_run, since)
     SELECT @list, @stream, l.record_key, @run, @at FROM (${lacking.sql}) l ON CONFLICT (pid, stream, record_key) DO NOTHING`,
    lacking.values,
  )
}

/** Selects the keys that suspicious lists lack, each once; for comments also the id of their post or file. */
function lackingIn(
  context: StagedContext,
  stream: StreamName,
  suspicious: Suspicion,
): { readonly sql: string; readonly values: Values } {
  const table = waitingTable(stream)
  if (table === undefined) throw new TypeError(`no rows of ${stream} can wait`)
  const { target } = context.sqlOf(table.name)
  const { parents, ranges } = suspicious
  const values: Values = { stream, texts: namedIn(suspicious) }
  const rows = (parent: string, among: string) =>
    `SELECT ${keyOf(table)} AS record_key, ${parent} AS parent FROM ${target} t WHERE (${isLacking(context, table)}) ${among}`
  if (parents !== undefined) {
    const [id = ''] = table.parent?.on ?? []
    const ids = parents.map((each) => storedId(each.id))
    return { sql: rows(`t.${id}`, `AND t.${id} = ANY (@ids)`), values: { ...values, ids } }
  }
  if (ranges !== undefined) {
    const [share] = sharesOf(context, table)
    const { sql, values: doubt } = eventsInDoubt(ranges)
    return { sql: rows('NULL', `${share?.where} AND ${sql}`), values: { ...values, ...share?.values, ...doubt } }
  }
  return { sql: `${rows('NULL', '')} UNION SELECT unnest(@texts) COLLATE "C", NULL`, values }
}

/** Condition: a live row `t` that was not read. */
export function isLacking(context: StagedContext, { name }: Table): string {
  const missing = context.sqlOf(name).isMissing(context.isStaged(name), context.isPartial(name))
  return name === 'webhooks' ? `${missing} OR ${isListed(context)}` : missing
}

/** The key of a row `t` as one text, without the project's id. */
function keyOf({ key }: Table): string {
  const columns = key.filter((name) => name !== 'pid')
  return `concat_ws(' ', ${columnList(columns, 't')}) COLLATE "C"`
}

function namedIn(suspicious: Suspicion | undefined): string[] {
  return (suspicious?.named ?? []).map((id) => storedId(id))
}

function unconfirmed({ task }: StagedContext): string {
  return `${task.schema.main}.unconfirmed_rows`
}

function countWaiting(context: PublishContext, stream: StreamName): Promise<number> {
  const sql = `SELECT count(*) FROM ${unconfirmed(context)} WHERE pid = @list AND stream = @stream AND since_run <> @run`
  return context.number(sql, { stream })
}

/** The ending of a scope that lacks keys that no earlier run missed. */
function endingOf(stream: StreamName, { unread = [], error }: ScopeResult, suspicious: Suspicion, evidence: Evidence) {
  const message = reasonOf(stream, suspicious, evidence.fresh)
  if (suspicious.parents === undefined) return { status: 'drifted', error: { code: POSSIBLY_CAPPED, message } } as const
  const items = suspicious.parents.flatMap((parent): UnreadItem[] => {
    const fresh = evidence.freshParents.get(storedId(parent.id))
    if (fresh === undefined) return []
    const capped = { code: POSSIBLY_CAPPED, message: reasonOf(stream, { ...suspicious, parents: [parent] }, fresh) }
    return [{ id: `${parent.id}/comments`, source: parent.source, error: capped, isFromText: false }]
  })
  const why = error ?? { code: UNREAD_ITEMS, message }
  return { status: 'partial', unread: [...unread, ...items], error: why } as const
}

async function warn(
  context: PublishContext,
  stream: StreamName,
  suspicious: Suspicion,
  waiting: number,
): Promise<void> {
  const stay = waiting === 1 ? 'stays' : 'stay'
  const rest = `and ${stay} until a list of another length lacks ${waiting === 1 ? 'it' : 'them'} too (--allow-shrink accepts that)`
  const held = waiting === 0 ? '' : `; ${notAmong(suspicious, waiting)} ${rest}`
  const message = `${lengthOf(stream, suspicious)}: nothing proves that these are all${held}`
  const { main } = context.task.schema
  const { rows } = await context.run(
    `SELECT warning FROM ${main}.run_scopes WHERE run_id = ${previousRun(main)} AND pid = @list AND stream = @stream`,
    { stream },
  )
  context.warnings.set(stream, { code: 'WARN_LENGTH', message, waiting, isNew: rows[0]?.[0] !== message })
}

/** Why a suspicious list that lacks rows for the first time is not complete. */
export function reasonOf(stream: StreamName, suspicious: Suspicion, fresh: number): string {
  return `${lengthOf(stream, suspicious)}, and ${notAmong(suspicious, fresh)}: the list may be cut`
}

function lengthOf(stream: StreamName, { length, parents, ranges }: Suspicion): string {
  const [first, second] = parents ?? []
  if (second !== undefined) return `${parents?.length} lists of comments have lengths at which services cut lists`
  const noun = first === undefined ? stream.replace('_', ' ') : `comments of ${first.id}`
  return `${length} ${noun}${ranges === undefined ? '' : ' at one time'}, a length at which services cut lists`
}

function notAmong({ named = [] }: Suspicion, count: number): string {
  const what = named.length > 0 ? 'stored or named' : 'stored'
  return count === 1 ? `1 ${what} row is not among them` : `${count} ${what} rows are not among them`
}
