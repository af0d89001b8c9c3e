import type { RecordLoss } from '@collab-etl/contract/streams'
import type { CollabError } from '../errors/collab-error.ts'
import type { RequestStats } from '../http/stats.ts'

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, its back-off included; it then fails with a `TransportError` of kind `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** Counts this call's share as well. */
  readonly stats?: RequestStats | undefined
  /** Tries after the first for an error, at most those of the client. Default: those of the client. */
  readonly retriesFor?: ((error: CollabError) => number | undefined) | undefined
  /**
   * Called for each successful answer of a list, before its first record: the length of the whole list as the service
   * states it in the header `X-Total-Count`; `null` without a usable header.
   */
  readonly onTotal?: ((total: number | null) => void) | undefined
}

/** Consecutive records of an array answer, in the order received. */
export interface RecordBatch<R> {
  readonly records: R[]
  readonly losses: RecordLoss[]
  /** First batch of a new attempt after one that broke: all batches handed on before it are void. It may be empty. */
  readonly restart: boolean
}

/** An object answer, with what was lost in reading it. */
export interface ObjectAnswer<R> {
  readonly record: R
  readonly losses: readonly RecordLoss[]
  /** Requests sent for it, retries included. */
  readonly requests: number
  /** Bytes of bodies received for it. */
  readonly bytes: number
}

/** How a deletion ended. Failures are thrown; this says what the service answered. */
export interface Deletion {
  /** Whether the service said so, or the thing was found to be gone. */
  readonly success: boolean
  /**
   * - `already_gone_after_retry`: an earlier try's answer was lost, and the next found nothing: that try did it, or
   *   somebody else, or there never was such a thing
   * - `failed_after_lost_answer`: an earlier try's answer was lost, and all later ones were told that deleting failed,
   *   as the service also says where nothing is left to delete: it may be gone, read again to know
   * - `unclear_answer`: the service answered without an error, but its `success` cannot be read
   */
  readonly note?: 'already_gone_after_retry' | 'failed_after_lost_answer' | 'unclear_answer'
}
