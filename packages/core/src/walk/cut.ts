/**
 * Lengths at which services cut lists. A list of one of these lengths may be cut, unless something shows that it is not.
 */
const TYPICAL_CAPS: ReadonlySet<number> = new Set([20, 30, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000])

/** Error code of what may be cut. */
export const POSSIBLY_CAPPED = 'POSSIBLY_CAPPED'

/** Whether a list of this length may be cut. */
export function isTypicalCap(length: number): boolean {
  return TYPICAL_CAPS.has(length)
}

/** What is said of a list that may be cut, or, with the length that the service states, that is. */
export function cutAt(length: number, total?: number): string {
  const stated = total === undefined ? '' : `: the service counts ${total}`
  return `possibly capped at ${length}${stated}`
}
