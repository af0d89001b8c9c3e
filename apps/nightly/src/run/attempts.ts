import { EXIT } from '@collab-etl/cli'
import { type Reason, UNREAD_ITEMS } from '@collab-etl/contract/streams'
import type { Done, StepName } from './steps.ts'

/** Whether another attempt of a step may succeed where this one did not: a pure decision about the documents of our own commands. */
export function mayPass(step: StepName, { exitCode, document }: Done, nightStartedAt: Date): boolean {
  if (exitCode === EXIT.unexpected) return true
  // what is incomplete in the warehouse is so in every backup of it
  if (exitCode !== EXIT.partial || step !== 'snapshot') return false
  const scopes = (document?.['not_whole'] ?? []) as readonly FailedScope[]
  const items = (document?.['unread_items'] ?? []) as readonly UnreadItem[]
  // an item that failed in earlier nights, too, would fail again, and each night would take all its attempts
  const fresh = items.filter(({ first_failed_at: first }) => Date.parse(first) >= nightStartedAt.getTime())
  const isFresh = ({ pid, stream }: FailedScope) => fresh.some((item) => item.pid === pid && item.stream === stream)
  return scopes.some((scope) => {
    const { code, retryable } = scope.error ?? {}
    return retryable === true && (code !== UNREAD_ITEMS || isFresh(scope))
  })
}

/** An incomplete scope in the document of a snapshot. */
interface FailedScope {
  readonly pid: string | null
  readonly stream: string
  readonly error: Reason | null
}

/** An item that could not be read. */
interface UnreadItem {
  readonly pid: string | null
  readonly stream: string
  /** ISO 8601: the first of the runs in a row that could not read it. */
  readonly first_failed_at: string
}
