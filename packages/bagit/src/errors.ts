import type { Damage } from './damage.ts'

/**
 * - `DAMAGED`: a file of a bag is not what its manifest says
 * - `DENIED`: this user may not read a file of a bag
 * - `EXISTS`: the file to write exists
 * - `NOT_AN_ARCHIVE`: the file is not an archive of a bag, or cannot be read in one pass
 * - `TOO_LARGE`: the archive states more content than there is free space for
 * - `KEY_NEEDED`: the archive is encrypted, and no key was given
 * - `WRONG_KEY`: the archive is not encrypted for the given key
 * - `BAD_KEY`: a recipient, passphrase file or identity file cannot be used
 * - `PREVIOUS_CHANGED`: the files of the previous bag are not those that it lists; none of them may be reused without reading them
 * - `LOCK_LOST`: another process removed the temporary directory or took it over
 */
export type BagErrorCode =
  | 'DAMAGED'
  | 'DENIED'
  | 'EXISTS'
  | 'NOT_AN_ARCHIVE'
  | 'TOO_LARGE'
  | 'KEY_NEEDED'
  | 'WRONG_KEY'
  | 'BAD_KEY'
  | 'PREVIOUS_CHANGED'
  | 'LOCK_LOST'

/** An error that the caller can handle by its code. File system errors are thrown unchanged. */
export class BagError extends Error {
  override readonly name: string = 'BagError'
  readonly code: BagErrorCode

  constructor(code: BagErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Damage found while a bag was read for a purpose other than verification; `DENIED` if this user may not read it. */
export class DamagedBagError extends BagError {
  override readonly name = 'DamagedBagError'
  readonly damage: Damage

  constructor(bag: string, damage: Damage) {
    const { kind, path, detail } = damage
    if (kind === 'denied') super('DENIED', `${bag} cannot be read: ${path} (${detail})`)
    else super('DAMAGED', `${bag} is damaged: ${kind} ${path}${detail === null ? '' : ` (${detail})`}`)
    this.damage = damage
  }
}

/** Whether an error is a `BagError`, and has the code if one is given. */
export function isBagError(error: unknown, code?: BagErrorCode): error is BagError {
  return error instanceof BagError && (code === undefined || error.code === code)
}
