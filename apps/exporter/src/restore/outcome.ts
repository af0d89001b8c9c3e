import type { Difference } from './difference.ts'
import type { AnyKind, CallKind, FurtherKind, RestoreItem } from './item.ts'
import type { FinishedLine } from './journal-lines.ts'

export type Counts = Record<CallKind, number> & Partial<Record<FurtherKind, number>>

/**
 * Why something was not restored.
 * - `may_exist`: the service says that it did not create a post, which cannot be checked
 * - `not_offered`: the service has no operation for it, as its first request showed
 */
export type Reason =
  | 'refused'
  | 'may_exist'
  | 'parent_not_restored'
  | 'group_not_restored'
  | 'no_entry'
  | 'no_id'
  | 'id_taken'
  | 'not_offered'
  | 'stopped'

/** Identifies a record of the backup in reports. */
interface RecordName {
  readonly kind: AnyKind
  readonly id: string
  readonly title: string | null
}

export interface NotRestored extends RecordName {
  readonly reason: Reason
  readonly message: string
  /** Number of others that were not attempted for the same reason; they have no entries of their own. */
  readonly more?: number
}

/** A call that may or may not have taken effect. */
export interface StillUnknown extends RecordName {
  readonly why: string
}

/** A record that was created but differs from the backup. */
export interface Inexact extends Difference, RecordName {
  readonly newId: string | null
  /** Where it differs: in the answer to the creation, or in the record that was read back. */
  readonly seen: 'answer' | 'read'
}

/** A record that was created but could not be read back. */
export type NotCompared = StillUnknown

export interface RestoreOutcome {
  /** Records created by this run, and by earlier ones (`before`). */
  readonly created: Counts
  readonly before: Counts
  readonly notRestored: readonly NotRestored[]
  readonly unknown: readonly StillUnknown[]
  readonly inexact: readonly Inexact[]
  /** Number of records that were read back and compared. */
  readonly compared: Record<RestoreItem['kind'], number> & Partial<Record<FurtherKind, number>>
  readonly notCompared: readonly NotCompared[]
  /** When an earlier run finished the restore; `null` if this run created or tried to create a record. */
  readonly finishedBefore: FinishedLine | null
}

export function noCounts(): Counts {
  return { page: 0, post: 0, task: 0, comment: 0 }
}
