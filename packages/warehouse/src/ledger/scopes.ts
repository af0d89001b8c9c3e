import type { PublishedScope } from '../api.ts'
import type { Connection } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'

/** Writes a scope into the ledger; read once more within the run, it counts as read last. */
export async function insertScope(
  connection: Connection,
  schema: SchemaNames,
  runId: string,
  scope: PublishedScope,
): Promise<void> {
  await connection.query(
    `INSERT INTO ${schema.main}.run_scopes AS r
       (run_id, pid, stream, status, pages, requests, bytes, rows_read, rows_inserted, rows_updated, rows_deleted,
        started_at, finished_at, error_code, error)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     ON CONFLICT (run_id, pid, stream) DO UPDATE SET
       status = excluded.status, pages = excluded.pages, requests = r.requests + excluded.requests,
       bytes = r.bytes + excluded.bytes, rows_read = excluded.rows_read, rows_inserted = r.rows_inserted + excluded.rows_inserted,
       rows_updated = r.rows_updated + excluded.rows_updated, rows_deleted = r.rows_deleted + excluded.rows_deleted,
       finished_at = excluded.finished_at, error_code = excluded.error_code, error = excluded.error`,
    [
      runId,
      scope.scope.pid ?? '',
      scope.scope.stream,
      scope.status,
      scope.pages,
      scope.requests,
      scope.bytes,
      scope.rowsRead,
      scope.rowsInserted,
      scope.rowsUpdated,
      scope.rowsDeleted,
      scope.startedAt.toISOString(),
      scope.finishedAt.toISOString(),
      scope.error?.code ?? null,
      scope.error?.message ?? null,
    ],
  )
}
