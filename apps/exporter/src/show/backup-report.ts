import { CONTENT, type Content, FORMATS, formatFacts, heldContent } from '@collab-etl/backups'
import {
  EXIT,
  type ExitCode,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  type Output,
  plainText,
  shellQuoted,
} from '@collab-etl/cli'
import { isAccepted, isForbidden, notWholeScopes } from '@collab-etl/contract/streams'
import type { ScopeState } from '@collab-etl/warehouse'
import type { MadeBackup } from '../backup/make-backup.ts'
import { runDocument } from '../backup/manifest.ts'
import type { BackupOptions, Counts } from '../backup/options.ts'
import type { BackupContents } from '../backup/write-backup.ts'
import type { Origin } from '../source/backup-rows.ts'
import { runText } from '../source/reading-info.ts'
import { archiveDocument, type ShownArchive, showArchive } from './archive-report.ts'
import { showTable } from './tables.ts'

const HEADLINES: Readonly<Record<BackupContents['status'], string>> = {
  complete: 'Backup written',
  accepted: 'Backup written; accepted failures are missing',
  partial: 'Backup written, but partial',
}

/** Scopes shown to a person; all of them are in the JSON document and in backup.json. */
const SCOPES_SHOWN = 20

/** 3 if any scope that the backup needs was not read to its end, and that was not accepted. */
export function exitCodeOf({ status }: BackupContents): ExitCode {
  return status === 'partial' ? EXIT.partial : EXIT.ok
}

/** Reports what was written, where, and which scopes are incomplete. */
export function reportBackup(
  stdout: Output,
  made: MadeBackup,
  { options, archive, milliseconds }: { options: BackupOptions; archive: ShownArchive | null; milliseconds: number },
): void {
  const { path, name, origin, contents, oxum, notLatest } = made
  const { counts, scopes, status, losses, knownPosts } = contents
  const content = heldContent(options.formats, options.content)
  const notWhole = notWholeScopes(scopes)
  const accepted = scopes.filter(isAccepted)
  const denied = scopes.filter((scope) => isForbidden(scope) && !isAccepted(scope) && !notWhole.includes(scope))
  stdout.document({
    backup: path,
    name,
    status,
    latest: notLatest === null,
    not_latest_because: notLatest?.lack ?? null,
    source: sourceDocument(origin),
    formats: [...options.formats].sort(),
    content: [...content].sort(),
    counts,
    known_posts: knownPosts,
    files: oxum.files,
    bytes: oxum.bytes,
    scopes,
    not_whole: notWhole,
    losses,
    ...(archive && { archive: archiveDocument(archive) }),
    ...linksDocument(made.links),
    duration_ms: Math.round(milliseconds),
  })

  stdout.line(stdout.bold(HEADLINES[status]))
  stdout.line(`  ${countsText(counts, content)}`)
  if (content.has('posts')) {
    const listed = origin.listsPosts ? '' : ' (the service lists none)'
    stdout.line(`  posts: ${formatCount(counts.posts)} of ${formatCount(knownPosts)} known${listed}`)
  }
  stdout.line(
    `  ${formatNumber(oxum.files, 'file')}, ${formatBytes(oxum.bytes)}, in ${formatDuration(milliseconds)}, from the ${sourceText(made)}`,
  )
  for (const line of [...runLines(origin), ...linkLines(made.links)]) stdout.line(`  ${line}`)
  if (losses > 0) stdout.line(`  ${formatNumber(losses, 'conversion issue')}: see data/report.html`)
  if (denied.length > 0)
    stdout.line(`  the token may not read ${formatNumber(denied.length, 'scope')}: see data/report.html`)
  if (notWhole.length > 0) showScopes(stdout, 'Incomplete scopes:', notWhole)
  if (accepted.length > 0) showScopes(stdout, 'Accepted failures, which the backup lacks:', accepted)
  stdout.line()
  stdout.line(`  where     ${plainText(path)}`)
  if (notLatest) {
    stdout.line(
      `  latest    still points to ${notLatest.latest}, which this backup does not cover: ${plainText(notLatest.lack)}`,
    )
    stdout.line('            (backup --as-latest points it at such a backup)')
  }
  stdout.line(`  look      ${firstToLookAt(options)} in it`)
  stdout.line(`  check     collab-export verify ${shellQuoted(plainText(path))}`)
  if (archive) showArchive(stdout, archive)
}

/** The numbers of records of the kinds that the backup holds. */
function countsText(counts: Counts, content: ReadonlySet<Content>): string {
  const names = { pages: 'page', posts: 'post', tasks: 'task', events: 'event', files: 'file', users: 'user' } as const
  const held = CONTENT.filter((kind) => content.has(kind)).flatMap((kind) => [
    formatNumber(counts[kind] ?? 0, names[kind]),
    ...(kind === 'posts' ? [formatNumber(counts.post_comments, 'comment')] : []),
    ...(kind === 'tasks' && counts.task_comments ? [formatNumber(counts.task_comments, 'task comment')] : []),
  ])
  return [formatNumber(counts.projects, 'project'), ...held].join(', ')
}

function sourceDocument({ kind, baseUrl, account, accounts, readAt, runId, readBy, unfinished = [], asOf }: Origin) {
  return {
    kind,
    base_url: baseUrl,
    account,
    ...(accounts && { accounts: accounts.all }),
    read_at: readAt,
    run_id: runId,
    as_of: asOf ?? null,
    runs: readBy ? readBy.runs.map(runDocument) : null,
    projects: readBy ? [...readBy.projects].map(([pid, read]) => ({ pid, read })) : null,
    unfinished_runs: unfinished.map(runDocument),
  }
}

function sourceText({ origin }: MadeBackup): string {
  const what = origin.kind === 'api' ? 'service' : 'warehouse'
  const when = origin.readBy ? `read from ${origin.readAt} on` : `as read on ${origin.readAt}`
  const asOf = origin.asOf === undefined || origin.isBesideRun ? '' : `, as of ${origin.asOf}`
  return `${what} at ${plainText(origin.place)}${origin.kind === 'warehouse' ? `, ${when}${asOf}` : ''}`
}

/** The runs that the data is from, if there are several; the oldest reading of carried items; and later runs that did not finish. */
function runLines({ readBy, unfinished = [], isBesideRun }: Origin): string[] {
  const isBySeveral = readBy !== undefined && readBy.runs.length > 1
  const carriedSince = readBy?.carriedSince ?? null
  return [
    ...(isBesideRun ? ['a snapshot has not ended: this is the state before it began'] : []),
    ...(isBySeveral
      ? [`rows of several runs: ${readBy.runs.map(runText).join(', ')}; data/backup.json names them by project`]
      : []),
    ...(carriedSince === null
      ? []
      : [
          `some posts or files were carried; the oldest was read ${carriedSince}. data/backup.json has carried_since by project`,
        ]),
    ...unfinished.map(
      (run) => `a later run did not finish: ${runText(run)}; finish it with collab-extract snapshot --resume`,
    ),
  ]
}

function showScopes(stdout: Output, title: string, scopes: readonly ScopeState[]): void {
  const rows = scopes.map(({ pid, stream, status, error, accepted }) => {
    const reasons = accepted?.map(({ until, reason }) => `until ${until.slice(0, 10)}: ${reason}`).join('; ')
    return [pid ?? '(all)', stream, status, reasons ?? (error && `${error.code} ${error.message}`)]
  })
  stdout.line()
  stdout.line(title)
  showTable(stdout, ['project', 'stream', 'status', 'why'], rows, { most: SCOPES_SHOWN, rest: ', in data/backup.json' })
}

function firstToLookAt({ formats }: BackupOptions): string {
  const [format = 'jsonl'] = formats.has('html') ? ['html' as const] : FORMATS.filter((known) => formats.has(known))
  return formatFacts(format).start
}

/** The backup's new and linked data, for `--json`. */
function linksDocument({ linked, newData, previous, refusal }: MadeBackup['links']): Record<string, unknown> {
  return {
    new_files: newData.files,
    new_bytes: newData.bytes,
    shared: previous === null ? null : { with: previous, files: linked.files, bytes: linked.bytes },
    not_shared_because: refusal,
  }
}

function linkLines({ linked, newData, previous, refusal }: MadeBackup['links']): string[] {
  const own = `new data: ${formatBytes(newData.bytes)} in ${formatNumber(newData.files, 'file')}`
  const rest = `; ${formatBytes(linked.bytes)} in ${formatNumber(linked.files, 'file')} linked from ${previous}`
  const lines = [previous === null ? own : `${own}${rest}`]
  if (refusal !== null) lines.push(`no file is linked from the previous backup: ${plainText(refusal)}`)
  return lines
}
