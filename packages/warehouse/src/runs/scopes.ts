import {
  isRead,
  type Scope,
  type ScopeResult,
  type ScopeStatus,
  type StreamName,
  UNREAD_ITEMS,
} from '@collab-etl/contract/streams'
import type { Connection } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import type { SchemaNames } from '../names.ts'
import { storable, storedId } from '../records/text.ts'
import { IS_STORED } from './stored-scopes.ts'
import type { FormerScope, PublishedScope } from './types.ts'

const COLUMNS = [
  'pid',
  'stream',
  'status',
  'pages',
  'requests',
  'bytes',
  'records_read',
  'content_hash',
  'rows_read',
  'rows_inserted',
  'rows_updated',
  'rows_deleted',
  'started_at',
  'finished_at',
  'error_code',
  'error',
  'carried',
  'carried_since',
  'warning_code',
  'warning',
  'waiting',
] as const

/** Statuses of parts of a scope: the scope has the last of theirs. One of which any part was read is not `carried`. */
export const STATUSES_BY_SEVERITY: readonly ScopeStatus[] = [
  'carried',
  'complete',
  'skipped',
  'partial',
  'drifted',
  'refused',
  'failed',
]

const SEVERITY = `ARRAY['${STATUSES_BY_SEVERITY.join("', '")}']`

/** Of two parts that are partial, the one counts that lacks more than unread items, which have rows of their own. */
const worse = (column: string) =>
  `CASE WHEN array_position(${SEVERITY}, excluded.status) > array_position(${SEVERITY}, r.status)
     OR excluded.status = r.status AND r.error_code = '${UNREAD_ITEMS}' AND excluded.error_code <> '${UNREAD_ITEMS}'
     THEN excluded.${column} ELSE r.${column} END`

/** Writes scopes into the run log, in one statement; a later part of the same scope adds to its row. */
export async function insertScopes(
  connection: Connection,
  schema: SchemaNames,
  run: { readonly id: string; readonly worker: string | null },
  scopes: readonly PublishedScope[],
): Promise<void> {
  if (scopes.length === 0) return
  const params: unknown[] = [run.id, run.worker]
  const rows = scopes.map(
    (scope) =>
      `($1, $2, ${cellsOf(scope)
        .map((cell) => `$${params.push(cell)}`)
        .join(', ')})`,
  )
  const { count } = await connection.query(
    `INSERT INTO ${schema.main}.run_scopes AS r (run_id, worker, ${COLUMNS.join(', ')}) VALUES ${rows.join(', ')}
     ON CONFLICT (run_id, pid, stream) DO UPDATE SET
       status = ${worse('status')}, error_code = ${worse('error_code')}, error = ${worse('error')},
       pages = r.pages + excluded.pages, requests = r.requests + excluded.requests, bytes = r.bytes + excluded.bytes,
       records_read = r.records_read + excluded.records_read, 
       content_hash = CASE WHEN r.carried + excluded.carried = 0 THEN coalesce(excluded.content_hash, r.content_hash) END,
       rows_read = r.rows_read + excluded.rows_read, rows_inserted = r.rows_inserted + excluded.rows_inserted,
       rows_updated = r.rows_updated + excluded.rows_updated, rows_deleted = r.rows_deleted + excluded.rows_deleted,
       warning_code = coalesce(excluded.warning_code, r.warning_code), warning = coalesce(excluded.warning, r.warning),
       waiting = r.waiting + excluded.waiting,
       carried = r.carried + excluded.carried, carried_since = least(r.carried_since, excluded.carried_since),
       finished_at = excluded.finished_at, worker = excluded.worker`,
    params,
  )
  expectRows('run_scopes', 'written', count, scopes.length)
}

/** Whether the run log has these scopes: each was read at another time than other parts of it. */
export async function isPublished(
  connection: Pick<Connection, 'query'>,
  schema: SchemaNames,
  runId: string,
  { scopes }: { readonly scopes: readonly { readonly result: ScopeResult }[] },
): Promise<boolean> {
  const result = scopes[0]?.result
  if (result === undefined) return true
  const { rows } = await connection.query(
    `SELECT FROM ${schema.main}.run_scopes WHERE run_id = $1 AND pid = $2 AND stream = $3 AND finished_at = $4::timestamptz`,
    [runId, storedPid(result.scope), result.scope.stream, result.finishedAt.toISOString()],
  )
  return rows.length > 0
}

/** When each scope of a run ended, by project and stream, in milliseconds since 1970. */
export async function endsOfScopes(
  connection: Pick<Connection, 'query'>,
  schema: SchemaNames,
  runId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await connection.query(
    `SELECT pid, stream, finished_at FROM ${schema.main}.run_scopes WHERE run_id = $1`,
    [runId],
  )
  return new Map(rows.map(([pid, stream, at]) => [`${pid} ${stream}`, Date.parse(String(at))]))
}

/** The key of a scope in `endsOfScopes`. */
export function scopeKey(scope: Scope): string {
  return `${storedPid(scope)} ${scope.stream}`
}

/** A scope of a project that the database rejected; one that was not read keeps its status. */
export function failedScope(result: ScopeResult, message: string): PublishedScope {
  return {
    ...result,
    ...(isRead(result) ? { status: 'failed', error: { code: 'NOT_STORED', message } } : {}),
    contentHash: null,
    rowsRead: 0,
    rowsInserted: 0,
    rowsUpdated: 0,
    rowsDeleted: 0,
  }
}

/** Content hashes of the parts of posts and files of a project that a run has published so far. */
export async function readContentHashes(
  connection: Pick<Connection, 'query'>,
  schema: SchemaNames,
  runId: string,
  pid: string | null,
): Promise<ReadonlyMap<StreamName, string>> {
  if (pid === null) return new Map()
  const { rows } = await connection.query(
    `SELECT stream, content_hash FROM ${schema.main}.run_scopes
     WHERE run_id = $1 AND pid = $2 AND stream IN ('posts', 'files') AND content_hash IS NOT NULL`,
    [runId, storedId(pid)],
  )
  return new Map(rows.map(([stream, hash]) => [stream as StreamName, String(hash)])) // as selected above
}

/** How the runs before one read scopes. */
export async function readFormerScopes(
  connection: Pick<Connection, 'query'>,
  schema: SchemaNames,
  runId: string,
  scopes: readonly Scope[],
): Promise<FormerScope[]> {
  const listed = new Map(scopes.map((scope) => [JSON.stringify([storedPid(scope), scope.stream]), scope]))
  const { rows } = await connection.query(
    `SELECT s.pid, s.stream, (array_agg(s.error_code ORDER BY r.started_at DESC) FILTER (
         WHERE r.status IN ('succeeded', 'partial') AND s.error_code IS DISTINCT FROM 'RESUMED'))[1] = 'NOT_ALLOWED',
       bool_or(${IS_STORED})
     FROM ${schema.main}.run_scopes s JOIN ${schema.main}.runs r USING (run_id)
       JOIN unnest($1::text[], $2::text[]) AS a (pid, stream) ON a.pid = s.pid AND a.stream = s.stream
     WHERE s.run_id <> $3 GROUP BY s.pid, s.stream`,
    [scopes.map(storedPid), scopes.map(({ stream }) => stream), runId],
  )
  return rows.flatMap(([pid, stream, wasNotAllowed, wasRead]) => {
    const scope = listed.get(JSON.stringify([pid, stream]))
    return scope === undefined
      ? []
      : [{ pid: scope.pid, stream: scope.stream, wasNotAllowed: wasNotAllowed === true, wasRead: wasRead === true }]
  })
}

/** The id of a scope's project as the run log stores it: empty for what belongs to none. */
export function storedPid({ pid }: Scope): string {
  return pid === null ? '' : storedId(pid)
}

/** In the order of COLUMNS. */
function cellsOf(scope: PublishedScope): unknown[] {
  return [
    storedPid(scope.scope),
    scope.scope.stream,
    scope.status,
    scope.pages,
    scope.requests,
    scope.bytes,
    scope.read,
    scope.contentHash,
    scope.rowsRead,
    scope.rowsInserted,
    scope.rowsUpdated,
    scope.rowsDeleted,
    scope.startedAt.toISOString(),
    scope.finishedAt.toISOString(),
    scope.error === undefined ? null : storable(scope.error.code).text,
    scope.error === undefined ? null : storable(scope.error.message).text,
    scope.carried?.items ?? 0,
    scope.carried?.since.toISOString() ?? null,
    scope.warning?.code ?? null,
    scope.warning === undefined ? null : storable(scope.warning.message).text,
    scope.warning?.waiting ?? 0,
  ]
}
