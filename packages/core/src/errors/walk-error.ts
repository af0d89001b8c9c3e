import { CollabError } from './collab-error.ts'

/**
 * - `page_ignored`: the service answers every page with the same records
 * - `page_limit`: a walk that does not end
 * - `paging_unclear`: the first pages contradict each other
 */
export type WalkErrorKind = 'page_ignored' | 'page_limit' | 'paging_unclear'

/** A walk over many requests cannot come to an end, though each of its requests did. */
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

/** Tells a `WalkError`; with kinds, one of these. */
export function isWalkError(error: unknown, ...kinds: WalkErrorKind[]): error is WalkError {
  return error instanceof WalkError && (kinds.length === 0 || kinds.includes(error.kind))
}
