import type { ScopeStatus, StreamName } from '@collab-etl/core'
import type { RunRow, Warehouse } from '@collab-etl/warehouse'
import type { BackupLoss } from '../tree/head.ts'
import {
  type BackupSource,
  type Extent,
  type Origin,
  type ScopeState,
  type SourceRow,
  STREAMS_OF,
} from './backup-source.ts'

/** Losses fetched at once. */
const LOSSES_AT_ONCE = 1000

/**
 * The latest word on each scope: a run need not have read every project. A run that resumes another lists what that one
 * had published as skipped, with the code RESUMED: the word on it is the other's.
 */
const latestScopes = (at: string) => `
  SELECT DISTINCT ON (s.pid, s.stream) s.pid, s.stream, s.status, s.error_code, s.error, s.run_id
  FROM run_scopes s JOIN runs r USING (run_id)
  WHERE s.error_code IS DISTINCT FROM 'RESUMED' AND r.started_at <= ${at}
  ORDER BY s.pid, s.stream, r.started_at DESC, r.run_id`

/**
 * Reads the rows as the warehouse holds them, or held them at a time. It holds the warehouse's lock meanwhile, so that no
 * snapshot changes them between one table and the next.
 */
export async function openWarehouseSource(
  warehouse: Warehouse,
  run: RunRow,
  asOf?: Date,
  extent: Extent = 'shown',
): Promise<BackupSource> {
  return new WarehouseSource(warehouse, run, asOf, extent, await warehouse.lock())
}

class WarehouseSource implements BackupSource {
  readonly origin: Origin
  readonly #warehouse: Warehouse
  readonly #lock: AsyncDisposable
  readonly #run: string
  readonly #asOf: Date | undefined
  readonly #extent: Extent
  /** The same in SQL. */
  readonly #at: string

  constructor(warehouse: Warehouse, run: RunRow, asOf: Date | undefined, extent: Extent, lock: AsyncDisposable) {
    this.#warehouse = warehouse
    this.#lock = lock
    this.#asOf = asOf
    this.#extent = extent
    this.#at = `timestamptz '${asOf?.toISOString() ?? 'infinity'}'`
    this.#run = run.run_id.replaceAll("'", "''")
    this.origin = {
      kind: 'warehouse',
      place: warehouse.location,
      baseUrl: run.base_url,
      readAt: run.started_at,
      runId: run.run_id,
    }
  }

  rows(
    table: Parameters<BackupSource['rows']>[0],
    options: { pid?: string; columns?: readonly string[] } = {},
  ): AsyncIterable<SourceRow> {
    return this.#warehouse.rows(table, { ...options, asOf: this.#asOf })
  }

  async scopes(): Promise<readonly ScopeState[]> {
    // A project that is gone keeps its last scopes in the ledger; one that could never be read has no row.
    const { rows } = await this.#warehouse.query(`
      WITH latest AS (${latestScopes(this.#at)})
      SELECT pid, stream, status, error_code, error FROM latest
      WHERE pid <> '' AND (run_id = '${this.#run}'
        OR pid IN (SELECT pid FROM projects_as_of(${this.#at})))`)
    return rows.map(toScopeState).filter(({ stream }) => STREAMS_OF[this.#extent].read.includes(stream))
  }

  async *losses(): AsyncGenerator<BackupLoss, void, undefined> {
    const streams = STREAMS_OF[this.#extent].given.map((stream) => `'${stream}'`).join(', ')
    for (let offset = 0; ; offset += LOSSES_AT_ONCE) {
      const { rows } = await this.#warehouse.query(`
        WITH latest AS (${latestScopes(this.#at)})
        SELECT l.pid, l.stream, l.record_key, l.field, l.kind, l.original
        FROM losses l
        JOIN latest s ON s.run_id = l.run_id AND s.stream = l.stream AND s.pid = coalesce(l.pid, '')
        WHERE l.stream IN (${streams})
        ORDER BY l.run_id, l.seq LIMIT ${LOSSES_AT_ONCE} OFFSET ${offset}`)
      for (const row of rows) yield toLoss(row)
      if (rows.length < LOSSES_AT_ONCE) return
    }
  }

  async knownPosts(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#warehouse.query(
      `SELECT pid, count(*) FROM known_posts WHERE first_seen_at <= ${this.#at} GROUP BY pid`,
    )
    return new Map(rows.map(([pid, count]) => [String(pid), Number(count)]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock[Symbol.asyncDispose]()
  }
}

function toScopeState([pid, stream, status, code, message]: unknown[]): ScopeState {
  return {
    pid: String(pid),
    // The ledger's own columns: nothing else is ever written to them.
    stream: stream as StreamName,
    status: status as ScopeStatus,
    error: code === null && message === null ? null : { code: String(code ?? ''), message: String(message ?? '') },
  }
}

function toLoss([pid, stream, recordKey, field, kind, original]: unknown[]): BackupLoss {
  return {
    pid: pid === null || pid === '' ? null : String(pid),
    stream: String(stream),
    record_key: String(recordKey),
    field: String(field),
    kind: String(kind),
    original: original === null ? null : String(original),
  }
}
