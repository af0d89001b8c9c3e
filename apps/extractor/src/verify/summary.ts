import { formatBytes, formatCount, formatDuration, formatNumber, plainText } from '@collab-etl/cli'
import type { Difference } from '@collab-etl/warehouse'
import { projectLabel } from '../show/project-label.ts'
import type { VerifyResult } from './run-verify.ts'
import type { ScopeVerdict } from './verdict.ts'

/** Keys that are named of each scope and table; `--json` has the others. */
const MAX_KEYS = 20

const HEADLINES: Readonly<Record<VerifyResult['outcome']['status'], string>> = {
  same: 'The warehouse holds what the service has',
  different: 'The warehouse does NOT hold what the service has',
  incomplete: 'Nothing differs, but not all could be read',
  failed: 'The comparison failed',
  interrupted: 'The comparison was interrupted',
}

const REPAIR = 'The next snapshot compares every value of these scopes and repairs the differences.'

/** The result of a comparison for a person: whether anything differs, what, and what could not be read. */
export function verifySummary(result: VerifyResult): string {
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
    ...section('Notes:', noteLines(result, of('same'))),
    '',
    `Warehouse: ${result.location}, schema ${result.schema}`,
  ].join('\n')
}

function headline({ outcome, verdicts, pids, sample, stats, durationMs }: VerifyResult): string[] {
  const words = {
    same: 'the same',
    different: 'different',
    incomplete: 'not read',
    unverified: 'never stored',
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

function differenceLines(result: VerifyResult, scope: ScopeVerdict): string[] {
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

function errorLine(result: VerifyResult, scope: ScopeVerdict): string {
  return `  ${nameOf(result, scope)}${scope.error === null ? '' : `: ${plainText(scope.error.message)}`}`
}

/** Each note once, and where it holds. */
function noteLines(result: VerifyResult, scopes: readonly ScopeVerdict[]): string[] {
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

function nameOf({ names }: VerifyResult, { pid, stream }: ScopeVerdict): string {
  if (pid === null) return stream === 'projects' ? 'the list of projects' : `personal ${stream}`
  return plainText(`${projectLabel(pid, names)} ${stream}`)
}
