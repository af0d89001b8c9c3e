import { ACCOUNT_FAILED } from '@collab-etl/contract/streams'
import { CollabError } from './collab-error.ts'

/** An account that may read what the others cannot has failed or was removed. With one account, its own error is thrown instead. */
export class AccountError extends CollabError {
  override readonly name = 'AccountError'
  readonly errorCode = ACCOUNT_FAILED
  readonly account: string
  readonly why: string

  /** @param why continues the sentence after the account's name; must not contain a token */
  constructor(account: string, why: string, cause?: unknown) {
    super(`account ${account}: ${why}`, cause === undefined ? undefined : { cause })
    this.account = account
    this.why = why
  }
}

/** Their messages as one, which may be continued. */
export function messageOfAccounts(errors: readonly AccountError[]): string {
  return errors.map(({ message }) => message.replace(/\.$/, '')).join('; ')
}

export function isAccountError(error: unknown): error is AccountError {
  return error instanceof AccountError
}
