import { CollabError } from './collab-error.ts'

/**
 * - `unusable`: the token file or token command cannot be used as it is
 * - `refused`: the user or the service refused, no code arrived in time, the token command failed after a refusal, or the token file could not
 *   be replaced
 * - `unreachable`: the address that gives tokens did not answer. This says nothing about the token
 */
export type SignInErrorKind = 'unusable' | 'refused' | 'unreachable'

/** No valid access token could be had. */
export class SignInError extends CollabError {
  override readonly name = 'SignInError'
  /** `SIGN_IN_` and the kind in capitals. */
  readonly errorCode: string
  readonly kind: SignInErrorKind

  /** @param message says what to do; must not contain a token, a code or a secret */
  constructor(kind: SignInErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.errorCode = `SIGN_IN_${kind.toUpperCase()}`
  }
}

/** Whether an error is a `SignInError` (with kinds: of one of these). */
export function isSignInError(error: unknown, ...kinds: SignInErrorKind[]): error is SignInError {
  return error instanceof SignInError && (kinds.length === 0 || kinds.includes(error.kind))
}
