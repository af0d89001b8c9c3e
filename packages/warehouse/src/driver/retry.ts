import { setTimeout as sleep } from 'node:timers/promises'
import { isWarehouseError } from '../errors.ts'
import type { Connection, Driver, TransactionOptions } from './driver.ts'
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
  options?: TransactionOptions,
): Promise<T> {
  return await tryAgain((isRetry) => driver.transaction((connection) => work(connection, isRetry), options), triesOf)
}

/** @param most tries for an error */
async function tryAgain<T>(run: (isRetry: boolean) => Promise<T>, most: (error: unknown) => number): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await run(tried > 1)
    } catch (error) {
      if (tried >= most(error)) throw error
      await sleep(Math.random() * LONGEST_WAIT_MS)
    }
  }
}

function triesOf(error: unknown): number {
  const code = sqlState(error)
  if (CONFLICTS.has(code)) return TRIES
  return code === UNIQUE_VIOLATION || isWarehouseError(error, 'NOT_STORED') ? TRIES_WITH_LOCKS : 1
}

/** States of a statement that creates a schema, table or column which another session creates at the same moment. */
const CREATED_BESIDE: ReadonlySet<string> = new Set([UNIQUE_VIOLATION, '42P06', '42P07', '42701', 'XX000'])

/** Creates things unless they exist, again if another session was creating them. */
export async function createBeside<T>(create: () => Promise<T>): Promise<T> {
  return await tryAgain(create, (error) => (CREATED_BESIDE.has(sqlState(error)) ? TRIES : 1))
}
