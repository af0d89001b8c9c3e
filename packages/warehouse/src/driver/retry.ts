import { setTimeout as sleep } from 'node:timers/promises'
import { isWarehouseError } from '../errors.ts'
import type { Connection, Driver } from './driver.ts'
import { sqlState } from './postgres-error.ts'

/** Tries of a transaction that conflicts with others: each try may conflict with another one. */
const TRIES = 6

/** Tries of one that found unexpected rows: from the second try on it holds locks on all stored ones. */
const TRIES_WITH_LOCKS = 3

const LONGEST_WAIT_MS = 100

/** Serialization failure and deadlock. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])

/** Another session has inserted a row of the same key. */
const UNIQUE_VIOLATION = '23505'

/**
 * Runs a transaction, again if another session wrote the same rows. With `isRetry` the work locks the rows that it writes
 * before it reads them. It must have no effects beyond its transaction.
 */
export async function transactionWithRetry<T>(
  driver: Driver,
  work: (connection: Connection, isRetry: boolean) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await driver.transaction((connection) => work(connection, tried > 1))
    } catch (error) {
      if (tried >= triesOf(error)) throw error
      await sleep(Math.random() * LONGEST_WAIT_MS)
    }
  }
}

function triesOf(error: unknown): number {
  const code = sqlState(error)
  if (CONFLICTS.has(code)) return TRIES
  return code === UNIQUE_VIOLATION || isWarehouseError(error, 'NOT_STORED') ? TRIES_WITH_LOCKS : 1
}
