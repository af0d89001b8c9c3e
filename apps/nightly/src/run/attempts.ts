import { EXIT } from '@collab-etl/cli'
import { ALL_OPERATIONS } from '@collab-etl/contract'
import type { Done, StepName } from './steps.ts'

// When a step is tried again: pure decisions about the documents of our own commands.

/** Whether another attempt of a step may succeed where this one did not. */
export function mayPass(step: StepName, { exitCode, document }: Done, nightStartedAt: Date): boolean {
  if (exitCode === EXIT.unexpected) return true
  // what is incomplete in the warehouse is so in every backup of it
  if (exitCode !== EXIT.partial || step !== 'snapshot') return false
  const scopes = (document?.['not_whole'] ?? []) as readonly FailedScope[]
  const items = (document?.['unread_items'] ?? []) as readonly UnreadItem[]
  // an item that failed in earlier nights, too, would fail again, and each night would take all its attempts
  const fresh = items.filter(({ first_failed_at: first }) => Date.parse(first) >= nightStartedAt.getTime())
  return scopes.some(
    ({ pid, stream, error }) =>
      (error !== null && isPassing(error.code, error.message)) ||
      fresh.some((item) => item.pid === pid && item.stream === stream && isPassing(item.error_code, item.error)),
  )
}

/** An incomplete scope in the document of a snapshot. */
interface FailedScope {
  readonly pid: string | null
  readonly stream: string
  readonly error: { readonly code: string; readonly message: string } | null
}

/** An item that could not be read. */
interface UnreadItem {
  readonly pid: string | null
  readonly stream: string
  readonly error_code: string
  readonly error: string
  /** ISO 8601: the first of the runs in a row that could not read it. */
  readonly first_failed_at: string
}

/** Error codes of scopes: no answer arrived, or it cannot be read. `NO_WORKER`: all workers failed, often with their database. */
const PASSING: ReadonlySet<string> = new Set([
  ...['CONNECT', 'TIMEOUT', 'RESET', 'TRUNCATED', 'EMPTY', 'INVALID_JSON', 'WRONG_TYPE', 'MISDIRECTED'],
  ...['HTTP_429', 'NO_WORKER'],
])

/** The HTTP status of each error code that the service documents. */
const STATUSES = new Map(ALL_OPERATIONS.flatMap(({ errors }) => errors.map(({ code, status }) => [code, status])))

/** Whether a failure of the service, or of the way to it, may pass: as the client decides it when it repeats a request. */
function isPassing(code: string, message: string): boolean {
  if (PASSING.has(code) || /^HTTP_5\d\d$/.test(code)) return true
  if (!/^\d+$/.test(code)) return false
  const status = Number(/, HTTP (\d{3})\)/.exec(message)?.[1] ?? 0)
  const isClientError = status >= 400 && status < 500
  return !isClientError && (STATUSES.get(Number(code)) ?? status) >= 500
}

/**
 * Whether the next attempt of the snapshot resumes. Only a run of this night: the run of an earlier one would be mixed with today's data.
 * @param resumes whether this attempt would have resumed: it may have failed before its run began
 */
export function nextResumes({ exitCode, document }: Done, resumes: boolean): boolean {
  if (exitCode === EXIT.partial) return false
  return resumes || typeof document?.['run_id'] === 'string'
}
