import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTable,
  plainText,
  type TableOptions,
} from '@collab-etl/cli'
import type { LossRow, RunDetails, RunRow, RunScopeRow } from '@collab-etl/warehouse'

/** The ledger as a table, newest run first. */
export function showRuns(runs: readonly RunRow[], options: TableOptions): string {
  if (runs.length === 0) return 'No runs yet: collab-extract snapshot makes the first.'
  return formatTable(
    [
      ...['run', 'started', 'status', { header: 'took', align: 'right' } as const],
      ...(['requests', 'retries', 'bytes'] as const).map((header) => ({ header, align: 'right' }) as const),
      ...['service', 'error'],
    ],
    runs.map((run) => [
      ...[run.run_id, run.started_at, run.status, took(run.started_at, run.finished_at)],
      ...[formatCount(run.requests), formatCount(run.retries), formatBytes(run.bytes), run.base_url, run.error],
    ]),
    options,
  )
}

/** One run: its line, its scopes, its first losses. */
export function showRun(
  { run, scopes, losses }: RunDetails,
  options: TableOptions & { readonly losses: number },
): string {
  return [
    `Run ${run.run_id} of ${run.base_url}: ${run.status}${run.error === null ? '' : ` (${plainText(run.error)})`}`,
    `${run.started_at}, took ${took(run.started_at, run.finished_at)}; ${formatNumber(run.requests, 'request')}, ${formatNumber(run.retries, 'retry', 'retries')}, ${formatBytes(run.bytes)}`,
    '',
    showScopes(scopes, options),
    ...(losses.length === 0 ? [] : ['', showLosses(losses, options)]),
  ].join('\n')
}

function showScopes(scopes: readonly RunScopeRow[], options: TableOptions): string {
  if (scopes.length === 0) return 'No scopes: the run stored nothing.'
  return formatTable(
    ['project', 'stream', 'status', 'pages', 'read', 'inserted', 'updated', 'deleted', 'requests', 'error'],
    scopes.map((scope) => [
      ...[scope.pid ?? '(none)', scope.stream, scope.status, scope.pages, scope.rows_read],
      ...[scope.rows_inserted, scope.rows_updated, scope.rows_deleted, scope.requests],
      scope.error_code === null ? null : `${scope.error_code}: ${scope.error ?? ''}`,
    ]),
    options,
  )
}

function showLosses(losses: readonly LossRow[], options: TableOptions & { readonly losses: number }): string {
  const shown = losses.slice(0, options.losses)
  const table = formatTable(
    ['project', 'stream', 'record', 'field', 'kind', 'original'],
    shown.map((loss) => [loss.pid, loss.stream, loss.record_key, loss.field, loss.kind, loss.original]),
    options,
  )
  const more = losses.length - shown.length
  const note = more > 0 ? `\n… and ${formatCount(more)} more: --limit ${losses.length}, or the table losses` : ''
  return `${formatNumber(losses.length, 'loss', 'losses')}: values that could not be taken exactly as they were sent\n${table}${note}`
}

function took(startedAt: string, finishedAt: string | null): string {
  return finishedAt === null ? '' : formatDuration(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)))
}
