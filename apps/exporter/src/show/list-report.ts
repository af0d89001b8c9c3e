import type { Coverage } from '@collab-etl/backups'
import type { Decision, ListedBackup, Removed } from '@collab-etl/backups/repository'
import { formatBytes, formatNumber, type Output, plainText } from '@collab-etl/cli'
import { showTable } from './tables.ts'

interface Listed {
  readonly directory: string
  readonly backups: readonly ListedBackup[]
  readonly now: Date
}

/** Shows the backups of a directory. */
export function reportList(stdout: Output, { directory, backups, now }: Listed): void {
  stdout.document({ directory, backups: backups.map((backup) => document(directory, backup, now)) })
  if (backups.length === 0) {
    stdout.line(`No backups in ${plainText(directory)}`)
    return
  }
  const headers = [
    ...['backup', right('size'), right('age'), { header: 'state', isWhole: true }, 'data', 'notes'],
    ...['projects', 'formats'].map((header) => ({ header, isOptional: true })),
    { ...right('new data'), isOptional: true },
  ]
  const rows = backups.map((backup) => [
    ...[backup.name, bytesText(backup.oxum?.bytes), ageText(backup.begun, now), stateText(backup, now)],
    ...[
      backup.manifest?.data,
      [...(backup.isLatest ? ['latest'] : []), ...backup.archives.map(archiveText)].join(', '),
    ],
    ...[backup.manifest && projectsText(backup.manifest.coverage), backup.manifest?.formats.join(',')],
    bytesText(backup.fresh?.bytes),
  ])
  showTable(stdout, headers, rows)
  for (const { name, problem } of backups) if (problem !== null) stdout.line(`${name}: ${plainText(problem)}`)
  stdout.line(formatNumber(backups.length, 'backup'))
}

function document(directory: string, backup: ListedBackup, now: Date): Record<string, unknown> {
  const { name, begun, state, verifiedAt, problem, oxum, fresh, sharesWith, manifest, isLatest, archives } = backup
  return {
    name,
    path: state === 'archive' ? null : `${directory}/${name}`,
    begun_at: begun.toISOString(),
    age_seconds: Math.floor((now.getTime() - begun.getTime()) / 1000),
    state,
    verified_at: verifiedAt,
    problem,
    latest: isLatest,
    files: oxum?.files ?? null,
    bytes: oxum?.bytes ?? null,
    new_files: fresh?.files ?? null,
    new_bytes: fresh?.bytes ?? null,
    shares_with: sharesWith,
    formats: manifest?.formats ?? null,
    data: manifest?.data ?? null,
    archives,
    coverage: manifest && coverageDocument(manifest.coverage),
  }
}

/** The projects that a backup was made for, and its time if it was made with `--as-of`. */
function projectsText({ projects, asOf, missing }: Coverage): string {
  const held = projects === null ? 'all' : formatNumber(projects.size, 'project')
  const unread = [...missing.values()].reduce((sum, streams) => sum + streams.size, 0)
  return [
    held,
    ...(unread > 0 ? [`without ${formatNumber(unread, 'stream')}`] : []),
    ...(asOf === null ? [] : [`as of ${asOf.toISOString()}`]),
  ].join(', ')
}

function coverageDocument({ projects, missing, accepted, asOf, readAt, baseUrl }: Coverage): Record<string, unknown> {
  return {
    projects: projects === null ? 'all' : [...projects],
    as_of: asOf,
    read_at: readAt,
    base_url: baseUrl,
    missing: scopesOf(missing),
    accepted: scopesOf(accepted),
  }
}

function scopesOf(byProject: Coverage['missing']): { readonly pid: string | null; readonly stream: string }[] {
  return [...byProject].flatMap(([pid, streams]) => [...streams].map((stream) => ({ pid, stream })))
}

function right(header: string): { header: string; align: 'right' } {
  return { header, align: 'right' }
}

function bytesText(bytes: number | undefined): string | null {
  return bytes === undefined ? null : formatBytes(bytes)
}

function archiveText({ name, bytes }: ListedBackup['archives'][number]): string {
  return `${name.slice(name.indexOf('.') + 1)} ${formatBytes(bytes)}`
}

function stateText({ state, verifiedAt }: ListedBackup, now: Date): string {
  if (state === 'verified' && verifiedAt !== null) return `verified ${ageText(new Date(verifiedAt), now)} ago`
  return state === 'archive' ? 'archive only' : state
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long ago a time is: `moments`, `3 minutes`, `26 hours`, `5 days`. */
function ageText(time: Date, now: Date): string {
  const age = Math.max(0, now.getTime() - time.getTime())
  if (age < MINUTE_MS) return 'moments'
  if (age < 2 * HOUR_MS) return formatNumber(Math.floor(age / MINUTE_MS), 'minute')
  if (age < 2 * DAY_MS) return formatNumber(Math.floor(age / HOUR_MS), 'hour')
  return formatNumber(Math.floor(age / DAY_MS), 'day')
}

interface Pruned {
  /** What the rules were applied to. */
  readonly what: 'backup' | 'archive'
  readonly directory: string
  readonly decisions: readonly Decision[]
  /** What is gone; `null` where nothing was to be removed, but shown. */
  readonly removed: readonly Removed[] | null
  readonly now: Date
  /** What needs a look; `null`: nothing. */
  readonly warning?: string | null
  /** Names of archives that are not on record. */
  readonly unknown?: readonly string[]
}

/** Reports for each backup or archive whether it is kept or removed, and why. */
export function reportPrune(stdout: Output, pruned: Pruned): void {
  const { what, directory, decisions, removed, now, warning, unknown = [] } = pruned
  const freed = (removed ?? []).reduce((total, one) => total + one.freed.bytes, 0)
  const toRemove = decisions.filter(({ action }) => action === 'remove').length
  stdout.document({
    directory,
    dry_run: removed === null,
    [`${what}s`]: decisions.map(({ backup, action, reasons }) => ({
      name: backup.name,
      state: backup.state,
      action,
      reasons,
    })),
    kept: decisions.length - toRemove,
    removed: (removed ?? []).map(({ name }) => name),
    freed_bytes: freed,
    ...(warning !== undefined && { warning, not_on_record: unknown }),
  })
  if (warning) stdout.line(plainText(warning))
  if (unknown.length > 0) stdout.line(plainText(`Not on record, and kept: ${unknown.join(', ')}`))
  if (decisions.length === 0) {
    stdout.line(`No ${what}s in ${plainText(directory)}`)
    return
  }
  const rows = decisions.map(({ backup, action, reasons }) => [
    ...[backup.name, ageText(backup.begun, now), backup.state, action, reasons.join(', ')],
  ])
  showTable(stdout, [what, right('age'), 'state', 'action', 'why'], rows)
  const counts = decisions.flatMap(({ reasons }) => reasons.filter((reason) => /\d of \d+$/.test(reason)))
  if (new Set(counts).size < counts.length)
    stdout.line(`A rule counts each ${what} among those that hold what it holds: the same number may appear twice.`)
  const kept = `${formatNumber(decisions.length - toRemove, what)} kept`
  if (removed === null) stdout.line(`${kept}, ${toRemove} would be removed (--dry-run)`)
  else stdout.line(`${kept}, ${removed.length} removed, ${formatBytes(freed)} freed`)
}
