import { isOptional, NOT_OFFERED, type StreamName, type UnreadItem } from '@collab-etl/contract/streams'
import { isBudgetError } from '../errors/collab-error.ts'
import { showsAbsence } from '../http/shows-absence.ts'
import type { ReadProjectOptions } from './read-options.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'
import { budgetUsedUp } from './unread-items.ts'

/** Options that decide what happens to a list for which the request budget does not suffice. */
export type BudgetOptions = Pick<ReadProjectOptions, 'lastReadings' | 'recentSince'>

/** The ending of a list that is not read, because its last complete reading counts. */
export function carriedList(since: Date): Ending {
  return { status: 'carried', carried: { items: 1, since } }
}

const UNOFFERED = {
  code: NOT_OFFERED,
  message: 'the service no longer offers this list; the last complete reading is kept',
}

/** The ending of a list that the service never offered: it has no scope. */
export const NEVER_OFFERED: Ending = { status: 'skipped' }

/** The ending of a list that the service does not offer. @param since time of the last complete reading, if any run has read it */
export function unofferedList(since: Date | undefined): Ending {
  return since === undefined ? NEVER_OFFERED : { ...carriedList(since), error: UNOFFERED }
}

/** The same for a list that the service offers for other projects: it says so with the error of an operation that it does not have. */
export function carryIfAbsent(
  { lastReadings }: BudgetOptions,
  stream: StreamName,
  reading: ScopeReading,
): (error: unknown) => Promise<Ending> {
  return async (error) => {
    if (!isOptional(stream) || !showsAbsence(error)) throw error
    await reading.restart()
    return unofferedList(lastReadings?.get(stream))
  }
}

/**
 * The result of a list for which the request budget does not suffice: `carried` if its last reading is recent enough, else `failed`. What
 * was emitted of it is discarded.
 */
export function carryIfNoBudget(
  { lastReadings, recentSince }: BudgetOptions,
  stream: StreamName,
  reading: ScopeReading,
): (error: unknown) => Promise<Ending> {
  return async (error) => {
    if (!isBudgetError(error)) throw error
    await reading.restart()
    const [last, since] = [lastReadings?.get(stream), recentSince?.get(stream)]
    if (last === undefined || since === undefined || last < since)
      return { status: 'failed', error: budgetUsedUp(last) }
    reading.pages = 0
    return carriedList(last)
  }
}

/** Why carried archived tasks leave a question open; the scope is carried all the same. */
export function tasksMissing(count: number): UnreadItem['error'] {
  const tasks = count === 1 ? '1 task is' : `${count} tasks are`
  const message = `${tasks} missing from the list of tasks; whether archived or deleted is known when archived tasks are read next`
  return { code: 'TASKS_MISSING', message }
}
