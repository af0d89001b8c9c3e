import type { Owner } from './owner.ts'

/**
 * Why a lock could not be taken or kept:
 * - `HELD`: another process holds the lock
 * - `LOST`: the lock was held, but its file was removed, replaced or taken over
 * - `NOT_A_FILE`: something other than a file has the name of the lock file
 */
export type LockErrorCode = 'HELD' | 'LOST' | 'NOT_A_FILE'

/** Thrown by `takeLock`, `holdFile` and `Lock.check`. The message names the lock file and, if known, its owner. */
export class LockError extends Error {
  override readonly name = 'LockError'
  readonly code: LockErrorCode
  /** The process that holds the lock; `null` if its record cannot be read. */
  readonly owner: Owner | null

  constructor(code: LockErrorCode, message: string, owner: Owner | null = null) {
    super(message)
    this.code = code
    this.owner = owner
  }
}

/** Whether a value is a `LockError`, of one code if given. */
export function isLockError(error: unknown, code?: LockErrorCode): error is LockError {
  return error instanceof LockError && (code === undefined || error.code === code)
}
