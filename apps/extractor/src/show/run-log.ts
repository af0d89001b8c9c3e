import {
  type Column,
  fitText,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTable,
  plainText,
  type TableOptions,
} from '@collab-etl/cli'
import type { Account } from '@collab-etl/contract'
import { OVERDUE, UNREAD_ITEMS } from '@collab-etl/contract/streams'
import {
  type ListedRun,
  type LossRow,
  namedAccounts,
  ownerOf,
  type RunAccount,
  type RunDetails,
  type RunRow,
  type RunScopeRow,
  type UnreadItemRow,
} from '@collab-etl/warehouse'

/** Digits of a content hash that are shown: enough to distinguish two. */
const HASH_DIGITS = 12

interface ShowOptions extends TableOptions {
  /** How many unread items and conversion issues to show. */
  readonly items: number
}

const right = (header: string, isOptional = false): Column => ({ header, align: 'right', isOptional })
const optional = (header: string): Column => ({ header, isOptional: true })
const whole = (header: string): Column => ({ header, isWhole: true })

/** The run log as a table, newest run first. A run's error follows on one line. */
export function showRuns(runs: readonly ListedRun[], options: TableOptions): string {
  if (runs.length === 0) return 'No runs yet: run collab-extract snapshot.'
  const [header = '', rule = '', ...rows] = formatTable(
    [
      ...[whole('run'), whole('status'), right('took', true), right('new'), right('changed'), right('deleted')],
      ...[right('requests', true), right('retries', true), right('bytes', true)],
      ...[optional('covers'), optional('service'), optional('started')],
    ],
    runs.map((run) => [
      ...[run.run_id, run.status, took(run)],
      ...[run.rows_inserted, run.rows_updated, run.rows_deleted, run.requests, run.retries].map(formatCount),
      ...[formatBytes(run.bytes), run.covers_all ? 'all' : 'part', run.base_url, run.started_at],
    ]),
    { ...options, folds: false },
  ).split('\n')
  const lines = rows.flatMap((row, index) => {
    const error = runs[index]?.error ?? null
    return error === null ? [row] : [row, fitText(`  error: ${plainText(error)}`, options.width ?? Infinity)]
  })
  return [header, rule, ...lines].join('\n')
}

/** One run: its line, its scopes, its first unread items and conversion issues. */
export function showRun({ run, scopes, losses, unread_items: unread }: RunDetails, options: ShowOptions): string {
  const names = new Map(scopes.flatMap(({ pid, project_name: name }) => (pid && name ? [[pid, name]] : [])))
  return [
    `Run ${run.run_id} of ${run.base_url}: ${run.status}${run.error === null ? '' : ` (${plainText(run.error)})`}`,
    `${run.started_at}, took ${took(run)}; ${formatNumber(run.requests, 'request')}, ${formatNumber(run.retries, 'retry', 'retries')}, ${formatBytes(run.bytes)}`,
    coverage(run, names),
    ...readAs(run.accounts),
    '',
    ...(scopes.length === 0
      ? ['No scopes: the run stored nothing.']
      : [
          showScopes(scopes, names, options),
          ...carriedLines(scopes),
          ...showChanges(scopes, names, options),
          ...showReasons(scopes, names),
          ...section(acceptedLines(scopes, names)),
          ...showWarnings(scopes, names),
        ]),
    ...(unread.length === 0 ? [] : ['', showUnread(unread, names, options)]),
    ...(losses.length === 0 ? [] : ['', showLosses(losses, names, options)]),
  ].join('\n')
}

/** Who read it: the token's owner, or each account with what it did. */
export function readAs(accounts: RunRow['accounts']): string[] {
  const owner = ownerOf(accounts)
  const named = namedAccounts(accounts).map((each) => `  ${plainText(`${each.account}${accountText(each)}`)}`)
  return owner === null ? [...(named.length > 0 ? ['Read as:'] : []), ...named] : [`Read as ${ownerText(owner)}`]
}

function accountText({ uid, name, projects, read, error }: RunAccount): string {
  const who = uid === null ? '' : ` = ${ownerText({ uid, name })}`
  const what = projects === null ? '' : `: ${formatNumber(projects, 'project')}${read === null ? '' : `, ${read} read`}`
  return `${who}${what}${error === null ? '' : `; failed: ${error}`}`
}

/** The token's owner for a person: name and user id. */
export function ownerText({ uid, name }: Account): string {
  return plainText(name === null ? uid : `${name} (${uid})`)
}

type Names = ReadonlyMap<string, string>

function coverage({ covers_all: coversAll, options }: RunRow, names: Names): string {
  if (coversAll) return 'Covers all projects and all streams'
  if (options === null) return 'Covers a part: the requested projects and streams are not known'
  const { projects, streams } = options
  const requested =
    projects === null
      ? 'all projects'
      : `${formatNumber(projects.length, 'project')}: ${projects.map((pid) => projectLabel(pid, names)).join(', ')}`
  return plainText(`Covers ${requested}; streams: ${streams.join(', ')}`)
}

/** The scopes as a table, each project's under a line with its name, as names and ids are too long for a column. */
function showScopes(scopes: readonly RunScopeRow[], names: Names, options: TableOptions): string {
  const [header = '', rule = '', ...lines] = formatTable(
    [
      ...[whole('stream'), whole('status'), right('pages', true), right('records'), right('rows', true)],
      ...[right('reqs', true), right('bytes', true), optional('first'), optional('last'), optional('content hash')],
    ],
    scopes.map((scope) => [
      ...[scope.stream, scope.status, scope.pages, scope.records_read, scope.rows_read, scope.requests],
      ...[formatBytes(scope.bytes), timeOfDay(scope.started_at), timeOfDay(scope.finished_at)],
      scope.content_hash?.slice(0, HASH_DIGITS),
    ]),
    { ...options, folds: false },
  ).split('\n')
  const ofProjects = Map.groupBy(scopes, ({ pid }) => pid)
  const grouped = lines.flatMap((line, index) => {
    const { pid = null } = scopes[index] ?? {}
    const isFirst = index === 0 || pid !== (scopes[index - 1]?.pid ?? null)
    if (!isFirst) return [line]
    if (pid === null) return ['no project', line]
    return [`project ${plainText(`${projectLabel(pid, names)}${readersOf(ofProjects.get(pid) ?? [])}`)}`, line]
  })
  return [header, rule, ...grouped].join('\n')
}

/** Names the account and the workers that read a project. One may read its lists, and another the posts and files that other projects name. */
function readersOf(scopes: readonly RunScopeRow[]): string {
  const account = scopes.find((scope) => scope.account !== null)?.account
  return `${account === undefined ? '' : `, read as ${account}`}${workersOf(scopes)}`
}

function workersOf(scopes: readonly RunScopeRow[]): string {
  const byWorker = [...Map.groupBy(scopes, ({ worker }) => worker)].filter(([worker]) => worker !== null)
  if (byWorker.length === 1) return `, read by worker ${byWorker[0]?.[0]}`
  return byWorker
    .map(([worker, own]) => `, ${own.map(({ stream }) => stream).join(' and ')} read by worker ${worker}`)
    .join('')
}

/** What a run carried (did not read), and the time of the oldest of the last readings. */
export function carriedLines(scopes: readonly Pick<RunScopeRow, 'stream' | 'carried' | 'carried_since'>[]): string[] {
  const of = scopes.filter(({ carried }) => carried > 0)
  const [since] = of.flatMap(({ carried_since: time }) => time ?? []).sort()
  if (since === undefined) return []
  const counts = [...Map.groupBy(of, ({ stream }) => stream)].map(([stream, own]) => {
    const count = own.reduce((sum, { carried }) => sum + carried, 0)
    if (stream === 'posts' || stream === 'files') return formatNumber(count, stream.slice(0, -1))
    if (stream === 'teams') return stream // they belong to no project
    return `${stream.replaceAll('_', ' ')} of ${formatNumber(count, 'project')}`
  })
  return [`Carried (not read in this run, stored data kept): ${counts.join(', ')}; last read at ${since} or later.`]
}

function showChanges(scopes: readonly RunScopeRow[], names: Names, options: TableOptions): string[] {
  const changed = scopes.filter((scope) => scope.rows_inserted + scope.rows_updated + scope.rows_deleted > 0)
  if (changed.length === 0) return ['', 'No rows are new, changed or deleted.']
  const table = formatTable(
    [...projectColumns, whole('stream'), right('new'), right('changed'), right('deleted')],
    changed.map((scope) => [
      ...[scope.pid ?? '(none)', names.get(scope.pid ?? ''), scope.stream],
      ...[scope.rows_inserted, scope.rows_updated, scope.rows_deleted],
    ]),
    options,
  )
  return ['', 'Rows that are new, changed or deleted:', table]
}

const projectColumns = [whole('project'), optional('name')]

/** Lines after an empty one; nothing if there are none. */
export function section(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}

/** The accepted failures of a run. */
export function acceptedLines(
  scopes: readonly (Pick<RunScopeRow, 'pid' | 'stream' | 'status'> & Partial<Pick<RunScopeRow, 'accepted'>>)[],
  names: Names,
): string[] {
  const lines = scopes.flatMap(({ pid, stream, status, accepted }) =>
    (accepted ?? []).map(({ scope, until, reason }) =>
      plainText(`  ${projectPrefix(pid, names)}${stream} ${status}: ${scope}, until ${until.slice(0, 10)}: ${reason}`),
    ),
  )
  return lines.length === 0 ? [] : ['Accepted failures:', ...lines]
}

function showReasons(scopes: readonly RunScopeRow[], names: Names): string[] {
  const lines = scopes.flatMap(({ pid, stream, status, error_code: code, error }) => {
    if (code === null) return []
    const label = labelOf(pid, names)
    // the items have a table of their own
    const reason = code === UNREAD_ITEMS ? 'items could not be read, see below' : `${code}: ${error ?? ''}`
    return [`  ${plainText(`${label} ${stream} ${status}: ${reason}`)}`]
  })
  return lines.length === 0 ? [] : ['', 'Why scopes are incomplete:', ...lines]
}

function showWarnings(scopes: readonly RunScopeRow[], names: Names): string[] {
  const lines = scopes.flatMap(({ pid, stream, warning_code: code, warning }) => {
    return code === null ? [] : [`  ${plainText(`${labelOf(pid, names)} ${stream}: ${code}: ${warning ?? ''}`)}`]
  })
  return lines.length === 0 ? [] : ['', 'Complete, but not proven:', ...lines]
}

function labelOf(pid: string | null, names: Names): string {
  return pid === null ? '(none)' : projectLabel(pid, names)
}

function showUnread(unread: readonly UnreadItemRow[], names: Names, options: ShowOptions): string {
  // last, because a small request budget leaves thousands of items unread, which would hide those that failed
  const shown = unread
    .toSorted((a, b) => Number(a.error_code === OVERDUE) - Number(b.error_code === OVERDUE))
    .slice(0, options.items)
  const table = formatTable(
    [...projectColumns, 'stream', whole('item'), optional('source'), optional('since'), 'error'],
    shown.map((item) => [
      ...[item.pid, names.get(item.pid ?? ''), item.stream, item.item_id, item.source, item.first_failed_at],
      item.error,
    ]),
    options,
  )
  return `${formatNumber(unread.length, 'unread item')}; stored data is kept, and a later run tries again\n${table}${moreNote(unread, shown, 'unread_items')}`
}

function moreNote(all: readonly unknown[], shown: readonly unknown[], table: string): string {
  const more = all.length - shown.length
  return more > 0 ? `\n… and ${formatCount(more)} more: --limit ${all.length}, or the table ${table}` : ''
}

function showLosses(losses: readonly LossRow[], names: Names, options: ShowOptions): string {
  const shown = losses.slice(0, options.items)
  const table = formatTable(
    [...projectColumns, 'stream', whole('record'), 'field', 'kind', 'original'],
    shown.map((loss) => [
      ...[loss.pid, names.get(loss.pid ?? ''), loss.stream, loss.record_key, loss.field, loss.kind, loss.original],
    ]),
    options,
  )
  return `${formatNumber(losses.length, 'conversion issue')}: values that could not be stored exactly as they were sent\n${table}${moreNote(losses, shown, 'losses')}`
}

function took({ started_at: begun, finished_at: ended }: RunRow): string {
  return ended === null ? '' : formatDuration(Math.max(0, Date.parse(ended) - Date.parse(begun)))
}

/** In UTC, without the day, which a line above shows. */
function timeOfDay(at: string): string {
  return at.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length)
}

/** `Name (pid)`, or the id alone where the name is not known. Not yet harmless to a terminal: see `plainText`. */
export function projectLabel(pid: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(pid)
  return name ? `${name} (${pid})` : pid
}

/** `Name (pid): `, to begin a line with; nothing for what belongs to no project. */
export function projectPrefix(pid: string | null, names: ReadonlyMap<string, string>): string {
  return pid === null ? '' : `${projectLabel(pid, names)}: `
}
