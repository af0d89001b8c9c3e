import { formatNumber } from '@collab-etl/cli'
import {
  type AcceptedFact,
  type BackupFacts,
  MOST_SCOPES,
  type RowCounts,
  type ScopeFact,
  type SnapshotFacts,
  type VerificationFacts,
} from '@collab-etl/observability'
import type { Done } from './steps.ts'

type Document = Readonly<Record<string, unknown>>

// The documents are those of our own commands (`--json`); a failed command's has only an error.

/** Facts from the document of `snapshot`; `null`: it holds only an error. */
export function snapshotFacts(done: Done | undefined): SnapshotFacts | null {
  const document = done?.document
  if (!document || typeof document['run_id'] !== 'string') return null
  const scopes = document['scopes'] as readonly DocumentScope[]
  const notWhole = document['not_whole'] as readonly DocumentScope[]
  const accepted = scopes.flatMap(({ accepted: own = [] }) => own)
  const unneeded = (document['accepted_unneeded'] ?? []) as readonly AcceptedFact[]
  const denied = new Set(notWhole.filter(({ status }) => status === 'skipped').map(keyOf))
  const counts: Record<string, Record<string, number>> = {}
  for (const scope of scopes) {
    const status = scope.accepted ? 'accepted' : denied.has(keyOf(scope)) ? 'denied' : scope.status
    const ofStream = counts[scope.stream] ?? {}
    counts[scope.stream] = { ...ofStream, [status]: (ofStream[status] ?? 0) + 1 }
  }
  return {
    run_id: document['run_id'],
    account: document['account'] as SnapshotFacts['account'],
    status: String(document['status']),
    duration_ms: numberIn(document, 'duration_ms'),
    requests: numberIn(document, 'requests'),
    retries: numberIn(document, 'retries'),
    bytes: numberIn(document, 'bytes'),
    projects: document['projects'] as Record<string, number>,
    rows: document['rows'] as Record<string, RowCounts>,
    scopes: counts,
    losses: (document['losses_by_kind'] ?? {}) as Record<string, number>,
    not_whole: notWhole.slice(0, MOST_SCOPES).map(scopeFact),
    accepted: accepted.slice(0, MOST_SCOPES).map(shortened),
    accepted_unneeded: unneeded.slice(0, MOST_SCOPES).map(({ scope }) => scope),
  }
}

/** A scope in a snapshot's document. */
interface DocumentScope extends Omit<ScopeFact, 'error'> {
  readonly error: { readonly code: string; readonly message: string } | null
  readonly accepted?: readonly AcceptedFact[]
}

const keyOf = ({ pid, stream }: DocumentScope) => `${pid} ${stream}`

/** Number of characters that the record keeps of an error. */
export const MOST_CHARACTERS = 300

function shortened({ scope, until, reason }: AcceptedFact): AcceptedFact {
  return { scope, until, reason: reason.slice(0, MOST_CHARACTERS) }
}

function scopeFact({ pid, stream, status, error }: DocumentScope): ScopeFact {
  return { pid, stream, status, error: error?.message.slice(0, MOST_CHARACTERS) ?? null }
}

/** Why a step that reported no error is not whole, in one line; `null`: its document gives no reason. */
export function whatIsNotWhole({ document }: Done): string | null {
  const { damage, not_whole: scopes, problem } = document ?? {}
  if (typeof problem === 'string') return problem
  if (Array.isArray(damage) && damage.length > 0) return damageText(damage, nameOfBackup(document))
  if (!Array.isArray(scopes) || scopes.length === 0) return null
  const more = scopes.length - SHOWN_SCOPES
  return [...scopes.slice(0, SHOWN_SCOPES).map(scopeText), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** No paths: they hold titles of pages, and the line goes to receivers outside. */
function damageText(damage: readonly { readonly kind: string }[], backup: string): string {
  const kinds = [...Map.groupBy(damage, ({ kind }) => kind)].map(([kind, of]) => `${of.length} ${kind}`)
  const are = damage.length === 1 ? 'is' : 'are'
  return `${formatNumber(damage.length, 'file')} of the backup ${backup} ${are} damaged (${kinds.join(', ')})`
}

function nameOfBackup(document: Document | null): string {
  return String(document?.['backup']).split('/').at(-1) ?? ''
}

/** Number of scopes that are named in one line. */
const SHOWN_SCOPES = 3

function scopeText(scope: DocumentScope): string {
  const { pid, stream, status, error } = scopeFact(scope)
  return `${stream} of ${pid ?? 'the workspace'} ${status}${error === null ? '' : ` (${error.slice(0, 100)})`}`
}

/** Facts from the document of `backup`; `null`: it holds only an error. */
export function backupFacts(done: Done | undefined): BackupFacts | null {
  const document = done?.document
  if (!document || typeof document['name'] !== 'string') return null
  return {
    name: document['name'],
    path: String(document['backup']),
    status: String(document['status']),
    files: numberIn(document, 'files'),
    bytes: numberIn(document, 'bytes'),
    new_bytes: numberIn(document, 'new_bytes'),
    conversion_issues: numberIn(document, 'losses'),
  }
}

/** Facts from the document of `verify`; `null`: it holds only an error. */
export function verificationFacts(done: Done | undefined): VerificationFacts | null {
  const document = done?.document
  if (!document || !Array.isArray(document['damage'])) return null
  return { backup: nameOfBackup(document), mode: String(document['mode']), damaged: document['damage'].length }
}

function numberIn(document: Document, key: string): number {
  const value = document[key]
  return typeof value === 'number' ? value : 0
}
