import { formatNumber, plainText } from '@collab-etl/cli'
import {
  type AcceptedFact,
  type AccountFact,
  type BackupFacts,
  clipped,
  type DeletedProjectFact,
  MOST_SCOPES,
  projectText,
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
  const denied = new Set(notWhole.filter(({ status }) => status === 'skipped' || status === 'carried').map(keyOf))
  const counts: Record<string, Record<string, number>> = {}
  for (const scope of scopes) {
    const status = scope.accepted ? 'accepted' : denied.has(keyOf(scope)) ? 'denied' : scope.status
    const ofStream = counts[scope.stream] ?? {}
    counts[scope.stream] = { ...ofStream, [status]: (ofStream[status] ?? 0) + 1 }
  }
  return {
    run_id: document['run_id'],
    account: document['account'] as SnapshotFacts['account'],
    ...accountFacts(document),
    status: String(document['status']),
    duration_ms: numberIn(document, 'duration_ms'),
    requests: numberIn(document, 'requests'),
    retries: numberIn(document, 'retries'),
    bytes: numberIn(document, 'bytes'),
    projects: document['projects'] as Record<string, number>,
    rows: document['rows'] as Record<string, RowCounts>,
    scopes: counts,
    losses: (document['losses_by_kind'] ?? {}) as Record<string, number>,
    not_whole: inOrder(notWhole).slice(0, MOST_SCOPES).map(scopeFact),
    accepted: accepted.slice(0, MOST_SCOPES).map(shortened),
    accepted_unneeded: unneeded.slice(0, MOST_SCOPES).map(({ scope }) => scope),
  }
}

function accountFacts({ accounts }: Document): Pick<SnapshotFacts, 'accounts'> {
  if (!Array.isArray(accounts)) return {}
  return { accounts: (accounts as readonly AccountFact[]).map(({ account, alone }) => ({ account, alone })) }
}

/** The projects that a snapshot found to be no longer in the service. */
export function deletedProjects({ document }: Pick<Done, 'document'>): DeletedProjectFact[] {
  const projects = (document?.['deleted_projects'] ?? []) as readonly DeletedProjectFact[]
  return projects.slice(0, MOST_SCOPES).map(({ pid, name, rows }) => ({ pid, name: shortName(name), rows }))
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

function scopeFact({ pid, project_name: name, stream, status, error }: DocumentScope): ScopeFact {
  const of = { pid, ...(name && { project_name: shortName(name) }), stream, status }
  return { ...of, error: error === null ? null : clipped(error.message, MOST_CHARACTERS) }
}

function shortName(name: string | null): string | null {
  return name === null ? null : clipped(plainText(name), MOST_NAME)
}

/** Number of characters that the record keeps of the name of a project. */
const MOST_NAME = 80

/** Scopes of which the deletion guard refused rows first, then by project: the same scopes give the same text each night. */
function inOrder(scopes: readonly DocumentScope[]): DocumentScope[] {
  const textOf = ({ pid, stream, status }: DocumentScope) => `${status === 'refused' ? 0 : 1} ${pid ?? ''} ${stream}`
  return scopes.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}

/** The incomplete scopes of a document, as a text to compare. */
export function scopesText({ document }: Pick<Done, 'document'>): string {
  const scopes = (document?.['not_whole'] ?? []) as readonly DocumentScope[]
  return inOrder(scopes)
    .map(({ pid, stream, status }) => `${pid} ${stream} ${status}`)
    .join('\n')
}

/**
 * Why a step that reported no error is not whole, in one line; `null`: its document gives no reason.
 * @param snapshot has the names of projects
 */
export function whatIsNotWhole({ document }: Done, snapshot?: Done): string | null {
  const { damage, not_whole: scopes, problem } = document ?? {}
  if (typeof problem === 'string') return problem
  if (Array.isArray(damage) && damage.length > 0) return damageText(damage, nameOfBackup(document))
  if (!Array.isArray(scopes) || scopes.length === 0) return null
  const facts = inOrder(scopes).map(scopeFact)
  // those of a project that share a cause share a text
  const groups = [...Map.groupBy(facts, ({ pid, status, error }) => JSON.stringify([pid, status, error])).values()]
  const more = groups.slice(SHOWN_CAUSES).flat().length
  const names = namesIn(snapshot)
  const texts = groups.slice(0, SHOWN_CAUSES).map((of) => causeText(of, names))
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function namesIn(snapshot: Done | undefined): ReadonlyMap<string | null, string | null> {
  const scopes = (snapshot?.document?.['not_whole'] ?? []) as readonly DocumentScope[]
  return new Map(scopes.map(({ pid, project_name: name = null }) => [pid, shortName(name)]))
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

/** Number of causes that are named in one line. */
const SHOWN_CAUSES = 3

function causeText(scopes: readonly ScopeFact[], names: ReadonlyMap<string | null, string | null>): string {
  const [{ pid, status, error }] = scopes as [ScopeFact] // a group has a scope
  const streams = scopes.map(({ stream }) => stream).join(', ')
  return `${streams} of ${projectText(pid, names.get(pid))} ${status}${error === null ? '' : ` (${error})`}`
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
