import type { ConversionIssue } from '@collab-etl/contract/streams'
import type { CollabError } from '../errors/collab-error.ts'
import type { RequestStats } from '../http/events.ts'

export interface CallOptions {
  /**
   * Asks as this account alone. Default: as the account that may do most in the project, and as others if that one cannot answer; a call
   * that concerns no project, as the first. A call that changes something must name one of several.
   */
  readonly account?: string | undefined
  /** Aborts the call, its back-off included; it then fails with a `TransportError` of kind `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** Counts the requests of this call in addition. */
  readonly stats?: RequestStats | undefined
  /** Retries for an error, at most those of the client. Default: those of the client. */
  readonly retriesFor?: ((error: CollabError) => number | undefined) | undefined
}

/** Consecutive records of an array answer, in the order received. */
export interface RecordBatch<R> {
  readonly records: R[]
  readonly losses: ConversionIssue[]
  /** Length of the whole list as the service states it in the header `X-Total-Count`; `null` without a usable header. */
  readonly total: number | null
  /** First batch of a new attempt after a broken one: discard all batches before it. It may be empty. */
  readonly restart: boolean
}

/** An object answer, and the values that could not be kept exactly. */
export interface ObjectAnswer<R> {
  readonly record: R
  readonly losses: readonly ConversionIssue[]
  /** Requests sent for it, retries included. */
  readonly requests: number
  /** Bytes of bodies received for it. */
  readonly bytes: number
}

/** Outcome of a deletion. Failures are thrown. */
export interface Deletion {
  /** Whether the service confirmed it, or the record no longer exists. */
  readonly success: boolean
  /**
   * - `already_gone_after_retry`: the answer of an earlier attempt was lost, and the next attempt was answered "not found": the
   *   earlier attempt deleted it, or another user did, or it never existed
   * - `failed_after_lost_answer`: the answer of an earlier attempt was lost, and the service answered all later ones with
   *   "failed", as it also does for a record that no longer exists: read again to find out
   * - `unclear_answer`: the service answered without an error, but its `success` cannot be read
   */
  readonly note?: 'already_gone_after_retry' | 'failed_after_lost_answer' | 'unclear_answer'
}
