import type { Content } from '@collab-etl/backups'
import { isAccepted, isWhole, notWholeScopes } from '@collab-etl/contract/streams'
import type { BackupSummary } from '@collab-etl/documents'
import { counted } from '@collab-etl/documents/html/parts'
import type { ScopeState } from '@collab-etl/warehouse'
import type { Origin } from '../source/backup-rows.ts'
import { KIND_WORDS, listed, timeText } from './words.ts'

/** Path of the report, relative to `data/`. */
export const REPORT_PATH = 'report.html'

/** Numbers of records by kind; those that a backup does not hold may be missing. */
export type ReportCounts = Readonly<Partial<Record<keyof typeof KIND_WORDS | 'projects' | 'users', number>>>

/** The kinds that a backup with this content counts, in order; comments of tasks if it has any. */
export function countedKinds(
  content: ReadonlySet<Content>,
  counts: ReportCounts,
): readonly (keyof typeof KIND_WORDS)[] {
  const kinds = Object.keys(KIND_WORDS) as (keyof typeof KIND_WORDS)[] // its own keys
  return kinds.filter((kind) =>
    kind === 'task_comments' ? counts[kind] !== undefined : content.has(kind === 'post_comments' ? 'posts' : kind),
  )
}

/** What the indexes of the backup begin with. */
export function summaryOf(of: {
  readonly origin: Origin
  readonly counts: ReportCounts
  readonly content: ReadonlySet<Content>
  readonly scopes: readonly ScopeState[]
}): BackupSummary {
  const { origin, counts, content, scopes } = of
  const kinds = countedKinds(content, counts).map((kind) => counted(counts[kind] ?? 0, KIND_WORDS[kind]))
  const summary = {
    at: stateAt(origin),
    service: origin.baseUrl,
    counts: [counted(counts.projects ?? 0, 'project'), ...kinds],
    completeness: completenessText(scopes),
  }
  const text = `The state of ${timeText(summary.at)}, read from ${summary.service}. ${listed(summary.counts)}. ${summary.completeness}`
  return { ...summary, text, report: REPORT_PATH }
}

/** The time whose state the backup holds, as ISO text. For a backup made during a snapshot, the time at which an earlier run read it. */
export function stateAt({ asOf, readAt, isBesideRun }: Origin): string {
  return isBesideRun ? readAt : (asOf ?? readAt)
}

/** One sentence. */
export function completenessText(scopes: readonly ScopeState[]): string {
  const lacking = scopes.filter((scope) => !isWhole(scope))
  if (lacking.length === 0) return 'Complete: every list was read to its end.'
  const why = notWholeScopes(scopes).length > 0 ? '' : `; ${knownText(lacking)}`
  const were = lacking.length === 1 ? 'was' : 'were'
  return `Not complete: ${lacking.length.toLocaleString('en')} of ${counted(scopes.length, 'list')} ${were} not read completely${why}.`
}

/** Why what is missing leaves a backup whole. */
function knownText(lacking: readonly ScopeState[]): string {
  if (lacking.every(isAccepted)) return 'what is missing was accepted'
  const accepted = lacking.some(isAccepted) ? ', or it was accepted' : ''
  return `the token may not read what is missing${accepted}`
}
