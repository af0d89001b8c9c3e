import { isCollabError } from '../errors/collab-error.ts'
import type { Answer } from './collect.ts'
import { isRefusal } from './is-refusal.ts'
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
