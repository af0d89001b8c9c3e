import { setTimeout as sleep } from 'node:timers/promises'
import { isWarehouseError } from '../errors.ts'
import type { Connection, Driver } from './driver.ts'
import { sqlState } from './postgres-error.ts'

/** Tries of a transaction that meets others: each may meet another one. */
const TRIES = 6

/** Tries of one that met rows which it did not expect: from the second on it holds locks on all that are stored. */
const TRIES_WITH_LOCKS = 3

const LONGEST_WAIT_MS = 100

/** Serialization failure and deadlock. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])

/** Another session has inserted a row of the same key. */
const UNIQUE_VIOLATION = '23505'

/**
 * Runs a transaction, again if it met another session that wrote the same rows. `isRetry` tells the work to lock what it
 * writes before it looks at it. The work must be free of effects beyond its transaction.
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
