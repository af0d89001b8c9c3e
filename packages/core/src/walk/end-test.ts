import type { Answer } from './collect.ts'
import { isRefusal } from './is-refusal.ts'
import type { FetchPage } from './page-reader.ts'

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
 * @returns whether it does not, although the service respects the size
 */
export async function endsTooEarly<R>(
  { read, size, ask, signal = new AbortController().signal }: EndTest<R>,
  isSeen: (record: R) => boolean,
): Promise<boolean> {
  const test = endPage(read, size)
  if (test === null) return false
  try {
    const { records } = await ask(test.page, test.size, signal)
    if (!records.every(isSeen)) return true
    if (records.length === test.expected) return false
    const first = await ask(1, test.size, signal)
    return first.records.length === test.size
  } catch (error) {
    if (isRefusal(error)) return true
    throw error
  }
}
