import { CollabError } from './collab-error.ts'

/**
 * - `page_ignored`: the service answers every page with the same records
 * - `page_limit`: the list does not end
 * - `paging_unclear`: the first pages contradict each other
 */
export type WalkErrorKind = 'page_ignored' | 'page_limit' | 'paging_unclear'

/** A list cannot be read to its end, although each request succeeded. */
export class WalkError extends CollabError {
  override readonly name = 'WalkError'
  /** The kind in capitals. */
  readonly errorCode: string
  readonly kind: WalkErrorKind

  constructor(kind: WalkErrorKind, message: string) {
    super(message)
    this.kind = kind
    this.errorCode = kind.toUpperCase()
  }
}

/** Whether an error is a `WalkError` (with kinds: of one of these). */
export function isWalkError(error: unknown, ...kinds: WalkErrorKind[]): error is WalkError {
  return error instanceof WalkError && (kinds.length === 0 || kinds.includes(error.kind))
}
