import {
  EXIT,
  type ExitCode,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTable,
  type Output,
  plainText,
  shellQuoted,
} from '@collab-etl/cli'
import type { MadeBackup } from '../backup/make-backup.ts'
import type { BackupOptions } from '../backup/options.ts'
import type { BackupContents } from '../backup/write-backup.ts'
import type { ScopeState } from '../source/backup-source.ts'
import { archiveDocument, type ShownArchive, showArchive } from './archive-report.ts'
import { sharesDocument, sharesLines } from './shares-text.ts'

/** Scopes shown to a person; all of them are in the JSON document and in backup.json. */
const SCOPES_SHOWN = 20

/** 3 where anything that the backup is made from was not read to its end; projects without permission are no such thing. */
export function exitCodeOf({ scopes }: BackupContents): ExitCode {
  return scopes.some(isNotWhole) ? EXIT.partial : EXIT.ok
}

function isNotWhole({ status }: ScopeState): boolean {
  return status === 'failed' || status === 'drifted' || status === 'refused'
}

/** Says what was written, where, and what of it is not whole. */
export function reportBackup(
  stdout: Output,
  made: MadeBackup,
  { options, archive, milliseconds }: { options: BackupOptions; archive: ShownArchive | null; milliseconds: number },
): void {
  const { path, name, origin, contents, oxum } = made
  const { counts, scopes, losses, knownPosts } = contents
  const notWhole = scopes.filter(isNotWhole)
  stdout.document({
    ...{ backup: path, name, status: notWhole.length === 0 ? 'complete' : 'partial' },
    source: { kind: origin.kind, base_url: origin.baseUrl, read_at: origin.readAt, run_id: origin.runId },
    formats: [...options.formats].sort(),
    ...{ counts, known_posts: knownPosts, files: oxum.files, bytes: oxum.bytes, scopes, losses },
    ...(archive && { archive: archiveDocument(archive) }),
    ...sharesDocument(made.shares),
    duration_ms: Math.round(milliseconds),
  })

  const { projects, pages, posts, post_comments: comments } = counts
  const held = [formatNumber(projects, 'project'), formatNumber(pages, 'page'), formatNumber(posts, 'post')]
  stdout.line(stdout.bold(notWhole.length === 0 ? 'Backup written' : 'Backup written, not whole'))
  stdout.line(`  ${held.join(', ')}, ${formatNumber(comments, 'comment')}`)
  stdout.line(`  posts: ${formatCount(posts)} of ${formatCount(knownPosts)} known (the service lists none)`)
  stdout.line(
    `  ${formatNumber(oxum.files, 'file')}, ${formatBytes(oxum.bytes)}, in ${formatDuration(milliseconds)}, from the ${sourceText(made)}`,
  )
  for (const line of sharesLines(made.shares)) stdout.line(`  ${line}`)
  if (losses > 0) stdout.line(`  ${formatNumber(losses, 'loss', 'losses')}: see data/backup.json`)
  if (notWhole.length > 0) showScopes(stdout, notWhole)
  stdout.line()
  stdout.line(`  where     ${plainText(path)}`)
  stdout.line(`  look      ${firstToLookAt(options)} in it`)
  stdout.line(`  check     collab-export verify ${shellQuoted(plainText(path))}`)
  if (archive) showArchive(stdout, archive)
}

function sourceText({ origin }: MadeBackup): string {
  const what = origin.kind === 'api' ? 'service' : 'warehouse'
  return `${what} at ${plainText(origin.place)}${origin.kind === 'warehouse' ? `, as read on ${origin.readAt}` : ''}`
}

function showScopes(stdout: Output, scopes: readonly ScopeState[]): void {
  const rows = scopes
    .slice(0, SCOPES_SHOWN)
    .map(({ pid, stream, status, error }) => [pid, stream, status, error && `${error.code} ${error.message}`])
  stdout.line()
  stdout.line('Not read to their end:')
  stdout.line(
    formatTable(
      ['project', 'stream', 'status', 'why'],
      rows,
      stdout.columns === undefined ? {} : { width: stdout.columns },
    ),
  )
  if (scopes.length > SCOPES_SHOWN)
    stdout.line(`and ${formatCount(scopes.length - SCOPES_SHOWN)} more, in data/backup.json`)
}

function firstToLookAt({ formats }: BackupOptions): string {
  if (formats.has('html')) return 'data/html/index.html'
  if (formats.has('markdown')) return 'data/markdown/README.md'
  return formats.has('csv') ? 'data/csv' : 'data/jsonl'
}
