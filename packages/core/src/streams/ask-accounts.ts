import { ACCOUNT_FAILED, POSSIBLY_CAPPED } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { AccountError, isAccountError, messageOfAccounts } from '../errors/account-error.ts'
import { isAuthError } from '../errors/api-error.ts'
import { isBudgetError } from '../errors/collab-error.ts'
import { concernsRequest } from '../errors/transport-error.ts'
import { failureOf, isTransient } from '../http/retry.ts'
import { showsAbsence } from '../http/shows-absence.ts'
import { type Answer, elementCount } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'
import { retryableIf } from './run-scopes.ts'
import type { Ending } from './scope-reading.ts'

/** What every account answered. */
export interface Asked<T> {
  readonly found: ReadonlyMap<string, T>
  /** Accounts that could not answer, also those that failed before and those of earlier runs. */
  readonly failed: ReadonlyMap<string, AccountError>
}

/**
 * Asks every account for what each of them has: lists that belong to no project.
 * @throws if none answers: an error that shows nothing about the service, if there is one
 */
export async function askAccounts<T>(client: Client, ask: (account: string) => Promise<T>): Promise<Asked<T>> {
  const { accounts } = client
  const found = new Map<string, T>()
  const failures = new Map<string, unknown>()
  const answers = await Promise.allSettled(accounts.names.map((name) => ask(name)))
  for (const [index, answer] of answers.entries()) {
    const name = accounts.names[index] ?? ''
    if (answer.status === 'fulfilled') found.set(name, answer.value)
    else failures.set(name, answer.reason)
  }
  const errors = [...failures.values()]
  const ending = errors.find((error) => isAuthError(error) || isBudgetError(error) || !concernsRequest(error))
  if (ending !== undefined) throw ending
  if (found.size === 0) throw errors.find((error) => !showsAbsence(error)) ?? errors[0]
  const failed = new Map([...failures].map(([name, error]) => [name, accountError(name, error)]))
  return { found, failed: new Map([...failed, ...accounts.failures]) }
}

function accountError(name: string, error: unknown): AccountError {
  if (isAccountError(error)) return error
  return new AccountError(name, error instanceof Error ? error.message : String(error), error)
}

/** How the list of one account ended. */
export function endingOfList(client: Client, account: string, answer: Answer<unknown>): Ending {
  const count = elementCount(answer)
  const verdict = judgeLength({ count, total: answer.total })
  if (verdict === 'cut') {
    const whose = client.accounts.names.length > 1 ? `account ${account}: ` : ''
    const message = `${whose}${cutAt(count, answer.total ?? count)}`
    return { status: 'drifted', error: { code: POSSIBLY_CAPPED, message } }
  }
  return { status: 'complete', ...(verdict === 'suspicious' && { suspicious: { length: count } }) }
}

/** How the lists of all accounts ended, which make one scope. */
export function endingOfAll(endings: readonly Ending[], failures: readonly AccountError[]): Ending {
  if (failures.length > 0) {
    const message = `${messageOfAccounts(failures)}; what no other account sees is kept as it was read last`
    const isTrouble = failures.some((error) => isTransient(failureOf(error)))
    return { status: 'partial', error: { code: ACCOUNT_FAILED, message, ...retryableIf(isTrouble) } }
  }
  const drifted = endings.find(({ status }) => status === 'drifted')
  return drifted ?? endings.find(({ suspicious }) => suspicious !== undefined) ?? { status: 'complete' }
}
