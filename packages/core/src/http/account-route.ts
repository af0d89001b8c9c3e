import { isObserved, type Operation, type OptionalOperation } from '@collab-etl/contract'
import { PROJECT_NOT_FOUND } from '@collab-etl/contract/errors'
import { type AccountError, isAccountError } from '../errors/account-error.ts'
import { isApiError, isNotAllowed, isRateLimited, refusesToken } from '../errors/api-error.ts'
import { isNotFound } from '../errors/not-found.ts'
import type { AccountState, Accounts } from './accounts.ts'
import { failureOf, isTransient } from './retry.ts'
import { showsAbsence } from './shows-absence.ts'

/** Which account a call may use. */
export interface Asked {
  readonly operation: Operation
  /** The project that it concerns. */
  readonly pid?: string | undefined
  /** Uses only this account. */
  readonly account?: string | undefined
}

/**
 * What an error says about the account that was asked: it failed; it cannot read the project; it may not do this, or the operation is not offered
 * to it. `null`: nothing; another account would get the same error.
 */
type Lack = 'account' | 'project' | 'operation' | null

/** The way of one call through the accounts: if one cannot answer, the next one is asked. */
export class AccountRoute {
  readonly #accounts: Accounts
  readonly #asked: Asked
  readonly #isExact: boolean
  #waiting: AccountState[]
  #others: readonly AccountState[]
  readonly #errors: unknown[] = []
  #lacks: 'project' | 'operation' | null = null
  /** Whether an account used up its retries without an answer: the others are asked once each. */
  #isTried = false

  /** @throws TypeError for a call that changes something, if no account is named */
  constructor(accounts: Accounts, asked: Asked) {
    const { operation, pid, account } = asked
    this.#accounts = accounts
    this.#asked = asked
    this.#isExact = account !== undefined || operation.method !== 'GET'
    if (account === undefined && operation.method !== 'GET' && accounts.areSeveral) {
      throw new TypeError(`${operation.id}: name one of the accounts: ${accounts.names.join(', ')}`)
    }
    const candidates =
      account === undefined
        ? accounts.candidatesFor(operation.id, pid)
        : { first: [accounts.named(account)].filter(({ failure }) => failure === undefined), others: [] }
    this.#waiting = [...candidates.first]
    this.#others = candidates.others
  }

  /** Maximum number of retries. */
  get retries(): number {
    return this.#isTried ? 0 : Infinity
  }

  /** The account to ask next. @throws the error of those that were asked, if none is left */
  next(): AccountState {
    if (this.#waiting.length === 0 && this.#errors.every((error) => isAccountError(error) || isNotKnown(error))) {
      this.#waiting = [...this.#others]
      this.#others = []
    }
    const next = this.#waiting.shift()
    if (next === undefined) throw this.#verdict()
    return next
  }

  /** Notes an answer. */
  answered(account: AccountState): void {
    const { operation, pid } = this.#asked
    if (isObserved(operation.id)) account.offered[operation.id as OptionalOperation] = true
    if (pid !== undefined && !this.#isExact) this.#accounts.answered(account, operation.id, pid, this.#lacks)
  }

  /** Notes that an account could not answer. @returns whether another one may */
  failed(account: AccountState, error: unknown): boolean {
    const lack = this.#lackOf(account, error)
    if (lack === null || (this.#isExact && lack !== 'account')) return false
    if (lack !== 'account' && this.#asked.pid === undefined) return false
    this.#errors.push(error)
    if (lack !== 'account') this.#lacks = this.#lacks === 'operation' ? 'operation' : lack
    return true
  }

  #lackOf(account: AccountState, error: unknown): Lack {
    const { id } = this.#asked.operation
    const optional = id as OptionalOperation // others are never offered
    if (isAccountError(error)) return 'account'
    if (isObserved(id) && showsAbsence(error)) {
      if (account.offered[optional] === true) return isNotKnown(error) ? 'project' : null
      account.offered[optional] = false
      return 'operation'
    }
    if (isNotKnown(error)) return 'project'
    if (isNotAllowed(error) || (isObserved(id) && refusesToken(error))) {
      // of a list that belongs to no project; one project may refuse what others offer
      if (isObserved(id) && this.#asked.pid === undefined) account.offered[optional] ??= false
      return 'operation'
    }
    if (!isApiError(error) || isRateLimited(error) || !isTransient(failureOf(error))) return null
    this.#isTried = true
    return 'project'
  }

  /** The error for the caller: a project counts as missing only if every account that may know it gets that answer. */
  #verdict(): unknown {
    const { operation, pid, account } = this.#asked
    const errors = this.#errors.filter((error) => !isAccountError(error))
    const isAbsent = (error: unknown) => isNotFound(error) || (isObserved(operation.id) && showsAbsence(error))
    const other = errors.find((error) => !isAbsent(error) && !isNotAllowed(error))
    if (other !== undefined) return other
    const missing = account === undefined ? this.#missing(pid) : this.#accounts.named(account).failure
    return missing ?? errors.find(isNotAllowed) ?? errors[0] ?? this.#accounts.allFailed()
  }

  #missing(pid: string | undefined): AccountError | undefined {
    return pid === undefined ? undefined : this.#accounts.failedFor(pid)[0]
  }
}

/** The account does not see the project, or the project does not exist. */
function isNotKnown(error: unknown): boolean {
  return isApiError(error, PROJECT_NOT_FOUND)
}
