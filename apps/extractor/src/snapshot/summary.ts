import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTable,
  plainText,
  type Settings,
  settingsFlags,
  typedName,
} from '@collab-etl/cli'
import { notWholeScopes, OVERDUE, UNREAD_ITEMS } from '@collab-etl/contract/streams'
import type { DiscoveryTotals, Offered, OptionalOperation } from '@collab-etl/core'
import {
  acceptedLines,
  carriedLines,
  ownerText,
  projectLabel,
  projectPrefix,
  readAs,
  section,
} from '../show/run-log.ts'
import { countProjects } from './document.ts'
import { eventsBeyondLines } from './events-outside.ts'
import { notAllowedLines } from './outcome.ts'
import type { SnapshotResult } from './run-snapshot.ts'
import type { ScopeReport } from './tally.ts'

/** The text after a snapshot: what was read, where it is, what is incomplete, and what to do next. */
export function snapshotSummary(result: SnapshotResult, settings: Settings): string {
  return [
    ...headline(result),
    ...section(rowsTable(result)),
    ...section([...foundLines(result), ...carriedLines(result.tally.scopes), ...missingTasksLines(result)]),
    ...section(offerLines(result.newlyOffered)),
    ...section(leftOutLines(result)),
    ...section(eventsBeyondLines(result.eventsOutside)),
    ...section(deletedLines(result)),
    ...section(unlistedLines(result)),
    ...section(notWhole(result)),
    ...section(acceptedLines(result.tally.scopes, result.names)),
    ...section(acceptanceLines(result.acceptance)),
    ...section(warningLines(result)),
    ...section(notAllowedLines(result.tally.scopes, result.names)),
    ...section(unreadLines(result)),
    '',
    `Warehouse: ${result.location}, schema ${result.schema}`,
    ...nextSteps(result, settingsFlags(settings, 'warehouse')),
  ].join('\n')
}

/** What the user can do now: look at the data of a run that stored them, or resume one that ended early. */
function nextSteps({ outcome, runId, schema }: SnapshotResult, flags: string): string[] {
  const extract = typedName('collab-extract')
  const details = `This run:   ${extract} runs${flags} ${runId}`
  if (outcome.status === 'interrupted' || outcome.status === 'failed') {
    return [`Resume it:  ${extract} snapshot${flags} --resume`, details]
  }
  return [`Look at it: ${extract} query${flags} "SELECT pid, name FROM ${schema}.live_projects"`, details]
}

function headline({
  runId,
  account,
  accounts,
  outcome,
  stats,
  durationMs,
  pids,
  tally,
  ...result
}: SnapshotResult): string[] {
  const { complete, partial, failed, skipped } = countProjects(pids, tally.scopes)
  const parts = [
    [complete, 'complete'],
    [partial, 'partial'],
    [failed, 'failed'],
    [skipped, 'skipped'],
  ] as const
  const counts = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`)
  const retries = stats.retries > 0 ? `, ${formatNumber(stats.retries, 'retry', 'retries')}` : ''
  return [
    `Snapshot ${runId} ${outcome.status} in ${formatDuration(durationMs)}`,
    `${formatNumber(pids.length, 'project')}${counts.length > 0 ? ` (${counts.join(', ')})` : ''}, ${formatNumber(stats.requests, 'request')}${retries}, ${formatBytes(stats.bytes)}`,
    ...(account === null ? [] : [`Read as ${ownerText(account)}`]),
    ...accountLines(accounts),
    ...resumedLines(result),
  ]
}

function accountLines(accounts: SnapshotResult['accounts']): string[] {
  if (accounts.length === 0) return []
  const alone = accounts.filter((each) => accounts.length > 1 && each.alone > 0)
  return [
    ...readAs(accounts),
    ...alone.map(({ account, alone: count }) => `  No account but ${account} lists ${formatNumber(count, 'project')}`),
  ]
}

function resumedLines({ resumedRunId, resumedWalks }: Pick<SnapshotResult, 'resumedRunId' | 'resumedWalks'>): string[] {
  if (resumedRunId === null) return []
  const walks = formatNumber(resumedWalks.size, 'list of archived tasks', 'lists of archived tasks')
  return [
    `It resumed run ${resumedRunId}: scopes that run had published are skipped.`,
    ...(resumedWalks.size === 0 ? [] : [`It continued ${walks} from a checkpoint.`]),
  ]
}

function rowsTable({ tally }: SnapshotResult): string[] {
  const rows = Object.entries(tally.tables).filter(([, { read, deleted }]) => read + deleted > 0)
  if (rows.length === 0) return ['Nothing was stored.']
  const right = (header: string) => ({ header, align: 'right' }) as const
  const cells = rows.map(([table, { read, inserted, updated, deleted }]) => [
    table,
    ...[read, inserted, updated, deleted].map(formatCount),
  ])
  return [formatTable(['table', right('read'), right('inserted'), right('updated'), right('deleted')], cells)]
}

/** Unread items, and projects with missing tasks, that are named in the summary; `runs RUN` has them all. */
const LINES_SHOWN = 10

/** Where the service does not list posts or files, only those whose ids are known can be read. */
function foundLines({ posts, files, tally }: SnapshotResult): string[] {
  const counts = [...foundLine('Posts', posts), ...foundLine('Files', files)]
  const isUnlisted = (of: DiscoveryTotals) => of.known + of.elsewhere > 0 && !of.isListed
  const unlisted = [...(isUnlisted(posts) ? ['posts'] : []), ...(isUnlisted(files) ? ['files'] : [])]
  return [
    ...counts,
    ...(unlisted.length === 0
      ? []
      : [
          `No complete list of ${unlisted.join(' and ')}: some may be missing. Ids come from lists, links, attachments, --post, --posts-file and earlier runs.`,
        ]),
    ...(tally.losses === 0
      ? []
      : [`${formatNumber(tally.losses, 'value')} could not be stored exactly as sent: see the table losses.`]),
  ]
}

function foundLine(
  what: string,
  { known, read, notFound, carried, elsewhere, waiting, left, isListed }: DiscoveryTotals,
): string[] {
  if (known + elsewhere === 0) return []
  const parts = [`${formatCount(known)} known`, `${formatCount(read)} read`]
  if (isListed) parts.unshift(`all ${what.toLowerCase()}`)
  if (notFound > 0) parts.push(`${formatCount(notFound)} not found`)
  if (carried > 0) parts.push(`${formatCount(carried)} carried`)
  if (waiting > 0) parts.push(`${formatCount(waiting)} postponed (requested again by a later run)`)
  if (left > 0) parts.push(`${formatCount(left)} left for the next run`)
  if (elsewhere > 0) parts.push(`${formatCount(elsewhere)} more in projects not read`)
  return [`${what}: ${parts.join(', ')}`]
}

/** Tasks that are missing from a list of tasks while archived tasks are carried. */
function missingTasksLines({ tally, names }: SnapshotResult): string[] {
  const scopes = tally.scopes.filter(({ status, error }) => status === 'carried' && error?.code === 'TASKS_MISSING')
  const more = scopes.length - LINES_SHOWN
  return [
    ...scopes.slice(0, LINES_SHOWN).map(({ pid, error }) => plainText(`${projectPrefix(pid, names)}${error?.message}`)),
    ...(more > 0 ? [`The same in ${formatNumber(more, 'more project')}: see \`runs RUN\``] : []),
  ]
}

/** Observed operations whose offer has changed since the last run. */
function offerLines(changes: Offered): string[] {
  return OFFERED_THINGS.flatMap(([id, what, loss]) => {
    const isOffered = changes[id]
    if (isOffered === undefined) return []
    return [isOffered ? `The service now offers ${what}.` : `The service no longer offers ${what}: ${loss}`]
  })
}

const KEPT = 'the last complete reading is kept.'

const OFFERED_THINGS: readonly (readonly [OptionalOperation, what: string, loss: string])[] = [
  ['posts.list', 'lists of posts', 'posts that no link leads to are not found.'],
  ['files.list', 'lists of files', 'files that no link and no attachment leads to are not found.'],
  ['tasks.comments.list', 'comments of tasks', KEPT],
  ['entries.list', 'lists of task groups', KEPT],
  ['projects.members.list', 'lists of members', KEPT],
  ['teams.list', 'lists of teams', KEPT],
  ['events.get', 'events by their ids', 'events outside the range are kept unchanged.'],
  ['profile.get', 'to say whose token it is', 'a token of another user is not noticed.'],
]

function leftOutLines({ leftOut, names }: SnapshotResult): string[] {
  if (leftOut.length === 0) return []
  const lines = [...Map.groupBy(leftOut, ({ pid, stream }) => JSON.stringify([pid, stream])).values()].map((fields) => {
    const { pid = null, stream } = fields[0] ?? {}
    const name = projectPrefix(pid, names)
    const counts = fields.map(({ field, records }) => `${field} (${formatNumber(records, 'record')})`).join(', ')
    return `  ${plainText(`${name}${stream}: ${counts}`)}`
  })
  return ['Fields that the service left out; stored values are kept:', ...lines]
}

function deletedLines({ deleted }: SnapshotResult): string[] {
  return deleted.map(({ pid, name, rows }) =>
    plainText(
      `No longer in the service: ${projectLabel(pid, new Map([[pid, name ?? '']]))}, ${formatNumber(rows, 'row')}`,
    ),
  )
}

function unlistedLines({ unlisted }: SnapshotResult): string[] {
  if (unlisted.length === 0) return []
  return [
    `Missing from the list of projects, but still readable: ${plainText(unlisted.join(', '))} (see projects.unlisted_since)`,
  ]
}

function notWhole({ tally, names }: SnapshotResult): string[] {
  const scopes = notWholeScopes(tally.scopes)
  const overdue = scopes.filter(({ error }) => error?.code === OVERDUE)
  // With a small budget, these may be scopes of thousands of projects.
  const areMany = overdue.length > LINES_SHOWN
  // Scopes of a project that share a reason share a line.
  const groups = Map.groupBy(areMany ? scopes.filter((scope) => !overdue.includes(scope)) : scopes, (scope) =>
    JSON.stringify([scope.pid, scope.status, scope.error?.code, scope.error?.message]),
  )
  const lines = [...groups.values()].flatMap((scopes) => {
    const [first] = scopes
    if (first === undefined) return []
    const { pid, status, error } = first
    const name = projectPrefix(pid, names)
    const streams = scopes.map(({ stream }) => stream).join(', ')
    return [`  ${plainText(`${name}${streams} ${status}${error ? `: ${reasonOf(error)}` : ''}`)}`]
  })
  if (areMany) lines.push(`  ${overdueLine(overdue)}`)
  return lines.length === 0 ? [] : ['Incomplete:', ...lines]
}

function acceptanceLines({ unneeded, ended }: SnapshotResult['acceptance']): string[] {
  return [
    ...unneeded.map(({ scope }) => plainText(`The accepted failure ${scope} no longer occurs: remove it`)),
    ...ended.map(({ scope, until }) => plainText(`The acceptance of ${scope} ended ${until.slice(0, 10)}`)),
  ]
}

/** Warnings that the last reading of the scope did not have. */
function warningLines({ tally, names }: SnapshotResult): string[] {
  const lines = tally.scopes.flatMap(({ pid, warning }) => {
    return warning?.is_new === true ? [`  ${plainText(`${projectPrefix(pid, names)}${warning.message}`)}`] : []
  })
  const more = lines.length - LINES_SHOWN
  if (lines.length === 0) return []
  return [
    'Complete, but not proven; later summaries do not repeat this:',
    ...lines.slice(0, LINES_SHOWN),
    ...(more > 0 ? [`  … and ${formatNumber(more, 'more scope')}: see \`runs RUN\``] : []),
  ]
}

function overdueLine(scopes: readonly ScopeReport[]): string {
  const counts = [...Map.groupBy(scopes, ({ stream }) => stream)].map(([stream, own]) => {
    return `${stream} of ${formatNumber(own.length, 'project')}`
  })
  return `${counts.join(', ')}: never read, or not within their period, because the request budget is used up; the next run reads them first`
}

/** Unread items have lines of their own. */
function reasonOf({ code, message }: NonNullable<ScopeReport['error']>): string {
  return code === UNREAD_ITEMS ? 'items could not be read, see below' : message
}

function unreadLines({ tally, names }: SnapshotResult): string[] {
  const unread = tally.unread.filter(({ error_code: code }) => code !== OVERDUE)
  const overdue = tally.unread.length - unread.length
  const overdueLines =
    overdue === 0
      ? []
      : [`The request budget did not suffice for ${formatNumber(overdue, 'item')}: see the table unread_items`]
  if (unread.length === 0) return overdueLines
  const lines = unread.slice(0, LINES_SHOWN).map(({ pid, stream, item_id: id, error }) => {
    const name = projectPrefix(pid, names)
    return `  ${plainText(`${name}${stream} ${id}: ${error}`)}`
  })
  const more = unread.length - lines.length
  return [
    `${formatNumber(unread.length, 'item')} could not be read; stored data is kept, and a later run tries again:`,
    ...lines,
    ...(more > 0 ? [`  … and ${formatCount(more)} more: see the table unread_items`] : []),
    ...(unread.some(({ stream, item_id: id }) => stream === 'events' && id.includes('/'))
      ? ['To read the events before or after such a range only, set --events-to or --events-from.']
      : []),
    ...overdueLines,
  ]
}
