/** Lengths at which services cut lists. */
const TYPICAL_CAPS: ReadonlySet<number> = new Set([20, 30, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000])

export function isTypicalCap(length: number): boolean {
  return TYPICAL_CAPS.has(length)
}

/** Message for a list that may be cut; with `total`, the length that the service states, for one that is cut. */
export function cutAt(length: number, total?: number): string {
  const stated = total === undefined ? '' : `: the service counts ${total}`
  return `possibly capped at ${length}${stated}`
}

/**
 * What the length of a list that was sent in one answer shows.
 * - `stated`: the service counts as many
 * - `cut`: it counts more
 * - `suspicious`: it states no usable length, and services cut lists at this one
 * - `plain`: any other length
 */
export type LengthVerdict = 'stated' | 'cut' | 'suspicious' | 'plain'

/**
 * Judges a list by its length alone: the length that the service states decides.
 * @param list.count records received
 * @param list.total length of the whole list as the service states it, if it does
 */
export function judgeLength({
  count,
  total,
}: {
  readonly count: number
  readonly total?: number | null | undefined
}): LengthVerdict {
  if (total != null && total >= count) return total > count ? 'cut' : 'stated'
  return isTypicalCap(count) ? 'suspicious' : 'plain'
}
