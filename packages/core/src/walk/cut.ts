/**
 * Lengths at which services cut lists. A list of one of these lengths may be cut, unless there is evidence that it is not.
 */
const TYPICAL_CAPS: ReadonlySet<number> = new Set([20, 30, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000])

/** Error code of a list that may be cut. */
export const POSSIBLY_CAPPED = 'POSSIBLY_CAPPED'

/** Whether a list of this length may be cut. */
export function isTypicalCap(length: number): boolean {
  return TYPICAL_CAPS.has(length)
}

/** Message for a list that may be cut; with `total`, the length that the service states, for one that is cut. */
export function cutAt(length: number, total?: number): string {
  const stated = total === undefined ? '' : `: the service counts ${total}`
  return `possibly capped at ${length}${stated}`
}

/** What is known about the length of a list that was sent in one answer. */
export interface ListLength {
  /** Records received. */
  readonly count: number
  /** Length of the whole list as the service states it. */
  readonly total: number | null
  /** Length of the longest earlier list of this operation; 0 if none is known. */
  readonly longest: number
  /** Further evidence that records are missing, as a clause. */
  readonly evidence?: string | null | undefined
}

/**
 * Why a list may be cut, for a person; `null` if it is complete. The length that the service states decides. Without it, a
 * list of a typical length is in doubt unless the service sent a longer one before, or there is other evidence.
 */
export function whyCut({ count, total, longest, evidence = null }: ListLength): string | null {
  if (total !== null && total > count) return cutAt(count, total)
  if (total === count || !isTypicalCap(count)) return null
  if (evidence !== null) return `${cutAt(count)}: ${evidence}`
  return longest > count ? null : cutAt(count)
}

/** Keeps the length that the service states for a list; after a retry, that of the last attempt. */
export class StatedLength {
  total: number | null = null

  readonly onTotal = (total: number | null): void => {
    this.total = total
  }
}
