/**
 * Finds out how a service numbers the pages of a list, as pure functions: what to request next, given the answers so far.
 *
 * Documented is that pages start at 1 and that any size is allowed. A service may still start at page 0, so that page 1 is
 * the second page, and it may refuse sizes above a limit. Page 1 with half the size distinguishes the two ways: it has the
 * first half of page 1 if pages start at 1, and records before or after it if they start at 0. Page 0 is requested only if
 * page 1 is empty or refused, the size is ignored, or pages are so small that a few changes between two requests make one
 * half look like the other.
 */

/** How a service numbers the pages of a list. */
export interface Paging {
  /** Number of the first page. */
  readonly base: 0 | 1
  /** Records to request per page. */
  readonly size: number
}

export interface Probe {
  readonly page: 0 | 1
  readonly size: number
}

export interface ProbeAnswer extends Probe {
  /** Ids in the order received; `null`: the service answered with an error. */
  readonly ids: readonly string[] | null
  /** Length of the whole list as the service states it. */
  readonly total?: number | null | undefined
}

/**
 * - `known`: holds for every list of the operation
 * - `unknown`: too few records to decide; either way, this list is read completely from page 1
 * - `changed`: the list changed between the requests, so the answers show nothing
 * - `refused`: every size was refused, or the requests that would decide
 */
export type PagingStep =
  | ({ readonly kind: 'ask' } & Probe)
  | ({ readonly kind: 'known' } & Paging)
  | { readonly kind: 'unknown'; readonly size: number }
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused' }

/** Sizes to try after one that was refused: limits that services document. */
const SMALLEST = 10
const SMALLER_SIZES = [100, 50, 20, SMALLEST]

/** Records per page from which half a page shows the numbering even if three records move between the two requests. */
const SURE_BY_HALF = 12

/** Answers of one service to probes, in the order received; the same probe may have been made twice. */
export function planPaging(pageSize: number, seen: readonly ProbeAnswer[]): PagingStep {
  for (const size of [pageSize, ...SMALLER_SIZES].filter((size) => size <= pageSize)) {
    const step = withSize(size, seen)
    if (step !== null) return step
  }
  return { kind: 'refused' }
}

/** `null`: the size is refused. */
function withSize(size: number, seen: readonly ProbeAnswer[]): PagingStep | null {
  const [one, oneAgain] = answersTo({ page: 1, size }, seen)
  const [zero, zeroAgain] = answersTo({ page: 0, size }, seen)
  if (one === undefined) return { kind: 'ask', page: 1, size }
  const first = one.ids ?? oneAgain?.ids ?? null
  const before = zero?.ids ?? zeroAgain?.ids ?? null
  if (first === null) {
    // page 1 may be beyond the end of a list that starts at page 0
    if (zero === undefined) return { kind: 'ask', page: 0, size }
    if (before === null || before.length === 0) return null
    return oneAgain === undefined ? { kind: 'ask', page: 1, size } : { kind: 'known', base: 0, size }
  }
  if (first.length === 0 && one.total === 0) return { kind: 'unknown', size }
  const half = Math.floor((first.length > 1 ? first.length : size) / 2)
  const byHalfSize = first.length > 0 && half > 0 ? byHalf(first, half, seen) : null
  if (byHalfSize === 'ask') return { kind: 'ask', page: 1, size: half }
  if (byHalfSize === 'first half' && size >= SURE_BY_HALF) return { kind: 'known', base: 1, size }
  if (before === null) {
    if (zeroAgain === undefined) return { kind: 'ask', page: 0, size }
    if (byHalfSize?.startsWith('other')) return { kind: 'refused' }
  }
  if (before === null || before.length === 0) {
    return first.length > 0 ? { kind: 'known', base: 1, size } : ofEmpty(size, seen)
  }
  if (byHalfSize === 'other half' || !areAlike(before, first)) return { kind: 'known', base: 0, size }
  if (byHalfSize === 'other') return { kind: 'changed' }
  if (first.length > 1) return { kind: 'known', base: 1, size }
  return before.length > 1 ? { kind: 'changed' } : { kind: 'unknown', size }
}

/** A size above the limit may be answered with an empty page: then the smallest one shows records. */
function ofEmpty(size: number, seen: readonly ProbeAnswer[]): PagingStep | null {
  const smallest = Math.min(size, SMALLEST)
  const [small] = answersTo({ page: 1, size: smallest }, seen)
  if (small === undefined) return { kind: 'ask', page: 1, size: smallest }
  return small.ids !== null && small.ids.length > 0 ? null : { kind: 'unknown', size }
}

/** Content of page 1 with half the size; `null`: the size is ignored, or the answer shows nothing. */
function byHalf(
  first: readonly string[],
  half: number,
  seen: readonly ProbeAnswer[],
): 'ask' | 'first half' | 'other half' | 'other' | null {
  const [answer] = answersTo({ page: 1, size: half }, seen)
  if (answer === undefined) return 'ask'
  if (answer.ids === null || answer.ids.length === 0 || answer.ids.length > half) return null
  // with only one record, records after it cannot be distinguished from those before it
  if (first.length === 1 && areAlike(answer.ids, first)) return null
  if (areAlike(answer.ids, first.slice(0, half))) return 'first half'
  return areAlike(answer.ids, first.slice(half)) ? 'other half' : 'other'
}

function answersTo({ page, size }: Probe, seen: readonly ProbeAnswer[]): ProbeAnswer[] {
  return seen.filter((answer) => answer.page === page && answer.size === size)
}

/** Whether two answers are the same page, even if some records moved between them. */
function areAlike(a: readonly string[], b: readonly string[]): boolean {
  const ids = new Set(a)
  return b.filter((id) => ids.has(id)).length * 2 > Math.min(a.length, b.length)
}
