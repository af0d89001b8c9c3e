import { formatBytes, formatCount, formatDuration, formatNumber, plainText } from '@collab-etl/cli'
import type { Difference } from '@collab-etl/warehouse'
import { projectLabel } from '../show/run-log.ts'
import type { CompareResult } from './run-compare.ts'
import { isWithdrawn, type ProjectsCount, type ScopeVerdict } from './verdict.ts'

/** Keys that are named of each scope and table; `--json` has the others. */
const MAX_KEYS = 20

const HEADLINES: Readonly<Record<CompareResult['outcome']['status'], string>> = {
  same: 'The warehouse holds what the service has',
  different: 'The warehouse does NOT hold what the service has',
  incomplete: 'Nothing differs, but not all could be read',
  failed: 'The comparison failed',
  interrupted: 'The comparison was interrupted',
}

const REPAIR = 'The next snapshot compares every value of these scopes and repairs the differences.'

/** The result of a comparison for a person: whether anything differs, what, and what could not be read. */
export function compareSummary(result: CompareResult): string {
  const { scopes } = result.verdicts
  const of = (status: ScopeVerdict['status']) => scopes.filter((scope) => scope.status === status)
  return [
    ...headline(result),
    ...section(
      'Different:',
      of('different').flatMap((scope) => differenceLines(result, scope)),
    ),
    ...(of('different').length > 0 ? ['', REPAIR] : []),
    ...section(
      'Not read completely, so not compared:',
      of('incomplete').map((scope) => errorLine(result, scope)),
    ),
    ...section(
      'Not read completely, as accepted:',
      of('accepted').map((scope) => `  ${nameOf(result, scope)} ${plainText(scope.note ?? '')}`),
    ),
    ...section('Notes:', noteLines(result, [...of('same'), ...of('unverified').filter(isWithdrawn)])),
    '',
    `Warehouse: ${result.location}, schema ${result.schema}`,
  ].join('\n')
}

function headline({ outcome, verdicts, pids, sample, stats, durationMs }: CompareResult): string[] {
  const words = {
    same: 'the same',
    different: 'different',
    incomplete: 'not read',
    accepted: 'accepted',
    unverified: 'not compared',
  } as const
  const counts = Object.entries(words).map(([status, word]) => {
    return [verdicts.scopes.filter((scope) => scope.status === status).length, word] as const
  })
  const parts = counts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`)
  const share =
    sample === null
      ? []
      : [
          `A sample of ${sample.fraction}: ${pids.length} of ${formatNumber(sample.of, 'project')}: ${pids.map((pid) => plainText(pid)).join(', ')}`,
        ]
  return [
    `${HEADLINES[outcome.status]} (${formatDuration(durationMs)})`,
    `${formatNumber(pids.length, 'project')}, ${formatNumber(verdicts.scopes.length, 'scope')}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}, ${formatNumber(stats.requests, 'request')}, ${formatBytes(stats.bytes)}`,
    ...share,
  ]
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}

function differenceLines(result: CompareResult, scope: ScopeVerdict): string[] {
  const { missing, extra, changed } = scope.counts
  const counts = [
    [missing, 'missing in the warehouse'],
    [extra, 'not in the service'],
    [changed, 'changed'],
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`)
  const byTable = Map.groupBy(scope.differences, ({ table }) => table)
  const shown = [...byTable].flatMap(([, differences]) => tableLines(differences))
  const listed = scope.differences.length
  const unlisted = missing + extra + changed - listed
  const rest = unlisted > 0 ? [`    … and ${formatCount(unlisted)} more that are not listed`] : []
  return [`  ${nameOf(result, scope)}: ${parts.join(', ')}`, ...shown, ...rest]
}

function tableLines(differences: readonly Difference[]): string[] {
  const lines = differences.slice(0, MAX_KEYS).map(({ table, kind, key, columns }) => {
    const what = columns.length === 0 ? '' : `: ${columns.join(', ')}`
    return `    ${kind.padEnd(8)}${plainText(`${table} ${Object.values(key).join(' ')}${what}`)}`
  })
  const more = differences.length - lines.length
  return more > 0
    ? [...lines, `    … and ${formatCount(more)} more of ${differences[0]?.table} (--json names them)`]
    : lines
}

function errorLine(result: CompareResult, scope: ScopeVerdict): string {
  return `  ${nameOf(result, scope)}${scope.error === null ? '' : `: ${plainText(scope.error.message)}`}`
}

/** Each note once, with the scopes that have it. */
function noteLines(result: CompareResult, scopes: readonly ScopeVerdict[]): string[] {
  const byNote = Map.groupBy(scopes, ({ note }) => note)
  return [...byNote].flatMap(([note, of]) => {
    if (note === null) return []
    const names = of.slice(0, MAX_KEYS).map((scope) => `  ${nameOf(result, scope)}`)
    const more = of.length - names.length
    return [
      `  ${note}:`,
      ...names.map((name) => `  ${name}`),
      ...(more > 0 ? [`    … and ${formatCount(more)} more`] : []),
    ]
  })
}

/** Names of the scopes that belong to no project. */
const UNOWNED: Partial<Record<ScopeVerdict['stream'], string>> = {
  projects: 'the list of projects',
  webhooks: 'personal webhooks',
}

function nameOf({ names }: CompareResult, { pid, stream }: ScopeVerdict): string {
  if (pid === null) return UNOWNED[stream] ?? stream
  return plainText(`${projectLabel(pid, names)} ${stream}`)
}

/** What `compare --json` prints. */
export interface CompareDocument {
  readonly status: CompareResult['outcome']['status']
  readonly projects: ProjectsCount
  /** The share of the projects that was compared, and their ids; `null` without `--sample`. */
  readonly sample: { readonly fraction: number; readonly of: number; readonly chosen: readonly string[] } | null
  readonly scopes: readonly ScopeVerdict[]
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly duration_ms: number
  /** What ended the comparison early. */
  readonly error: { readonly code: string; readonly message: string; readonly exit_code: number } | null
}

export function compareDocument(result: CompareResult): CompareDocument {
  const { outcome, verdicts, pids, sample, stats, failure } = result
  return {
    status: outcome.status,
    projects: verdicts.countProjects(pids),
    sample: sample && { ...sample, chosen: pids },
    scopes: verdicts.scopes,
    requests: stats.requests,
    retries: stats.retries,
    bytes: stats.bytes,
    duration_ms: result.durationMs,
    error: failure ? { code: failure.code, message: failure.message, exit_code: failure.exitCode } : null,
  }
}
