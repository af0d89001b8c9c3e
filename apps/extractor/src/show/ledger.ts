import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTable,
  plainText,
  type TableOptions,
} from '@collab-etl/cli'
import type { LossRow, RunDetails, RunRow, RunScopeRow, UnreadItemRow } from '@collab-etl/warehouse'

/** Digits of a content hash that are shown: enough to tell two of them apart. */
const HASH_DIGITS = 12

/** The ledger as a table, newest run first. */
export function showRuns(runs: readonly RunRow[], options: TableOptions): string {
  if (runs.length === 0) return 'No runs yet: collab-extract snapshot makes the first.'
  return formatTable(
    [
      ...['run', 'started', 'status', 'covers', { header: 'took', align: 'right' } as const],
      ...(['requests', 'retries', 'bytes'] as const).map((header) => ({ header, align: 'right' }) as const),
      ...['service', 'error'],
    ],
    runs.map((run) => [
      ...[run.run_id, run.started_at, run.status, run.covers_all ? 'all' : 'part'],
      took(run.started_at, run.finished_at),
      ...[formatCount(run.requests), formatCount(run.retries), formatBytes(run.bytes), run.base_url, run.error],
    ]),
    options,
  )
}

/** One run: its line, its scopes, its first unread items and losses. */
export function showRun(
  { run, scopes, losses, unread_items: unread }: RunDetails,
  options: TableOptions & { readonly losses: number },
): string {
  return [
    `Run ${run.run_id} of ${run.base_url}: ${run.status}${run.error === null ? '' : ` (${plainText(run.error)})`}`,
    `${run.started_at}, took ${took(run.started_at, run.finished_at)}; ${formatNumber(run.requests, 'request')}, ${formatNumber(run.retries, 'retry', 'retries')}, ${formatBytes(run.bytes)}`,
    coverage(run),
    '',
    showScopes(scopes, options),
    ...(unread.length === 0 ? [] : ['', showUnread(unread, options)]),
    ...(losses.length === 0 ? [] : ['', showLosses(losses, options)]),
  ].join('\n')
}

function coverage({ covers_all: coversAll, options }: RunRow): string {
  if (coversAll) return 'Covers all projects and all streams'
  if (options === null) return 'Covers a part: the requested projects and streams are not known'
  const { projects, streams } = options
  const asked =
    projects === null ? 'all projects' : `${formatNumber(projects.length, 'project')} (${projects.join(', ')})`
  return plainText(`Covers ${asked}; streams: ${streams.join(', ')}`)
}

function showScopes(scopes: readonly RunScopeRow[], options: TableOptions): string {
  if (scopes.length === 0) return 'No scopes: the run stored nothing.'
  return [showCertificates(scopes, options), ...showChanges(scopes, options), ...showReasons(scopes)].join('\n')
}

/** What was read of each scope; under a line for each project, as its id would leave no room beside all this. */
function showCertificates(scopes: readonly RunScopeRow[], options: TableOptions): string {
  const right = (header: string) => ({ header, align: 'right' }) as const
  const [header = '', rule = '', ...lines] = formatTable(
    [
      ...['stream', 'status', right('pages'), right('records'), right('rows'), right('reqs'), right('bytes')],
      ...['first', 'last', 'content hash'],
    ],
    scopes.map((scope) => [
      ...[scope.stream, scope.status, scope.pages, scope.records_read, scope.rows_read, scope.requests],
      ...[formatBytes(scope.bytes), timeOfDay(scope.started_at), timeOfDay(scope.finished_at)],
      scope.content_hash?.slice(0, HASH_DIGITS),
    ]),
    options,
  ).split('\n')
  const grouped = lines.flatMap((line, index) => {
    const pid = scopes[index]?.pid
    const isFirst = index === 0 || pid !== scopes[index - 1]?.pid
    return isFirst ? [pid ? `project ${plainText(pid)}` : 'no project', line] : [line]
  })
  return [header, rule, ...grouped].join('\n')
}

function showChanges(scopes: readonly RunScopeRow[], options: TableOptions): string[] {
  const changed = scopes.filter((scope) => scope.rows_inserted + scope.rows_updated + scope.rows_deleted > 0)
  if (changed.length === 0) return ['', 'No rows were changed.']
  const table = formatTable(
    ['project', 'stream', 'inserted', 'updated', 'deleted'],
    changed.map((scope) => [
      ...[scope.pid ?? '(none)', scope.stream],
      ...[scope.rows_inserted, scope.rows_updated, scope.rows_deleted],
    ]),
    options,
  )
  return ['', 'Rows that were changed:', table]
}

function showReasons(scopes: readonly RunScopeRow[]): string[] {
  const told = scopes.filter((scope) => scope.error_code !== null)
  const lines = told.map((scope) => {
    const name = `${scope.pid ?? '(none)'} ${scope.stream}`
    return `  ${plainText(`${name} ${scope.status}: ${scope.error_code}: ${scope.error ?? ''}`)}`
  })
  return lines.length === 0 ? [] : ['', 'Why scopes are not complete:', ...lines]
}

function showUnread(unread: readonly UnreadItemRow[], options: TableOptions & { readonly losses: number }): string {
  const shown = unread.slice(0, options.losses)
  const table = formatTable(
    ['project', 'stream', 'item', 'source', 'since', 'error'],
    shown.map((item) => [item.pid, item.stream, item.item_id, item.source, item.first_failed_at, item.error]),
    options,
  )
  return `${formatNumber(unread.length, 'unread item')}; stored data is kept, and a later run tries again\n${table}${moreNote(unread, shown, 'unread_items')}`
}

function moreNote(all: readonly unknown[], shown: readonly unknown[], table: string): string {
  const more = all.length - shown.length
  return more > 0 ? `\n… and ${formatCount(more)} more: --limit ${all.length}, or the table ${table}` : ''
}

function showLosses(losses: readonly LossRow[], options: TableOptions & { readonly losses: number }): string {
  const shown = losses.slice(0, options.losses)
  const table = formatTable(
    ['project', 'stream', 'record', 'field', 'kind', 'original'],
    shown.map((loss) => [loss.pid, loss.stream, loss.record_key, loss.field, loss.kind, loss.original]),
    options,
  )
  return `${formatNumber(losses.length, 'loss', 'losses')}: values that could not be taken exactly as they were sent\n${table}${moreNote(losses, shown, 'losses')}`
}

function took(startedAt: string, finishedAt: string | null): string {
  return finishedAt === null ? '' : formatDuration(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)))
}

/** In UTC; the day stands above, and all of it in --json. */
function timeOfDay(at: string): string {
  return at.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length)
}
