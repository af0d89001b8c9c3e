import { isApiError, isAuthError, isRateLimited } from '../errors/api-error.ts'
import { isCollabError } from '../errors/collab-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import type { Answer } from './collect.ts'
import type { FetchPage } from './page-reader.ts'

/** Requests one page of a list, 1 for the first. `retries`: maximum after an answer that is an error. */
export type AskListPage<R> = (page: number, size: number, signal: AbortSignal, retries?: number) => Promise<Answer<R>>

/** Requests pages; `note` records a page that was requested elsewhere, and returns its answer. */
export type EndingPages<R> = FetchPage<Answer<R>> & {
  readonly note: (page: number, size: number, answer: Answer<R>) => Answer<R>
}

/**
 * Treats a page beyond the end of a list as empty if the service answers it with an error.
 *
 * An error means the end only if it is the service's own, the page is after all pages with records, and the error is
 * confirmed: twice in turn the last page with records is answered and this page fails with the same error, and so does
 * the page after it. Any other error is thrown after the usual retries.
 * @param onEnd called when an error was confirmed to mean the end
 */
export function endingByError<R>(ask: AskListPage<R>, onEnd?: (code: string) => void): EndingPages<R> {
  let last = { page: 0, size: 0 }
  let confirmed: string | undefined
  const note = (page: number, size: number, answer: Answer<R>): Answer<R> => {
    if (answer.records.length > 0 && page > last.page) last = { page, size }
    return answer
  }
  const read: FetchPage<Answer<R>> = async (page, size, signal) => {
    // when resumed, the pages before are known to have had records
    if (last.page === 0 && page > 1) last = { page: page - 1, size }
    if (page <= last.page || page === 1) return note(page, size, await ask(page, size, signal))
    const answer = await orErrorCode(ask(page, size, signal, 1))
    if (typeof answer !== 'string') return note(page, size, answer)
    const isAnswered = async () => (await ask(last.page, last.size, signal)).records.length > 0
    for (const other of answer === confirmed ? [page] : [page, page + 1, page]) {
      if (!(await isAnswered()) || (await orErrorCode(ask(other, size, signal, 0))) !== answer)
        return note(page, size, await ask(page, size, signal))
    }
    if (confirmed === undefined) onEnd?.(answer)
    confirmed = answer
    return { records: [], losses: [] }
  }
  return Object.assign(read, { note })
}

/** The answer; the code of the error if the service answers with one. */
async function orErrorCode<T extends object>(answer: Promise<T>): Promise<T | string> {
  try {
    return await answer
  } catch (error) {
    if (!isRefusal(error) || !isCollabError(error)) throw error
    return error.errorCode
  }
}

/** A page that starts with the last records of a list and extends beyond its end. */
interface EndPage {
  readonly page: number
  readonly size: number
  /** How many records it has if the list ends there. */
  readonly expected: number
}

/** The page that extends beyond the end of a list of `read` records; `null` if no size below `size` has one. */
function endPage(read: number, size: number): EndPage | null {
  for (let smaller = size - 1; smaller > 1; smaller--) {
    const expected = read % smaller
    if (expected > 0) return { page: Math.floor(read / smaller) + 1, size: smaller, expected }
  }
  return null
}

export interface EndTest<R> {
  /** Number of records read; the list ends with a full page. */
  readonly read: number
  readonly size: number
  readonly ask: FetchPage<Answer<R>>
  readonly signal?: AbortSignal | undefined
}

/**
 * Tests a list that ends with a full page: the service may refuse the pages after it, or answer them as empty. A page of
 * another size extends beyond the end and must have exactly the last records.
 * @returns `cut` if it does not, although the service respects the size; `untested` if the service refuses the page
 */
export async function testEnd<R>(
  { read, size, ask, signal = new AbortController().signal }: EndTest<R>,
  isSeen: (record: R) => boolean,
): Promise<'whole' | 'cut' | 'untested'> {
  const test = endPage(read, size)
  if (test === null) return 'whole'
  try {
    const { records } = await ask(test.page, test.size, signal)
    if (!records.every(isSeen)) return 'cut'
    if (records.length === test.expected) return 'whole'
    const first = await ask(1, test.size, signal)
    return first.records.length === test.size ? 'cut' : 'whole'
  } catch (error) {
    if (isRefusal(error)) return 'untested'
    throw error
  }
}

/** Statuses that say nothing about the page: the request may be retried, or is not authorised. */
const PASSING = new Set([401, 403, 408, 429, 502, 503, 504])

/**
 * Whether the service itself answered a request with an error: it may mean that there is no such page. A rate limit,
 * with any status and code, says nothing about the page.
 */
export function isRefusal(error: unknown): boolean {
  if (isAuthError(error) || isRateLimited(error)) return false
  if (isApiError(error)) return !PASSING.has(error.status)
  return isTransportError(error, 'http_status') && (error.status ?? 0) >= 400 && !PASSING.has(error.status ?? 0)
}
