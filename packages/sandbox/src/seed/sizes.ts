/** Sizes of the seeded data: totals over the projects that the caller may read. */
export interface Sizes {
  /** Projects that the caller may read. */
  projects: number
  /** Additional projects, listed with permission 0. */
  barred: number
  /** Tasks that are not archived. */
  tasks: number
  /** Archived tasks. */
  archived: number
  pages: number
  posts: number
  events: number
}

/** Small enough to start at once, large enough for lists, trees and several archived pages. */
export const DEFAULT_SIZES: Sizes = {
  projects: 6,
  barred: 0,
  tasks: 600,
  archived: 1500,
  pages: 60,
  posts: 24,
  events: 120,
}

/**
 * Distributes a total over places unevenly: the first gets the most, and the last of more than two gets none, like a project that
 * was created and never used.
 */
export function spread(total: number, places: number): number[] {
  const used = places > 2 ? places - 1 : places
  const weights = Array.from({ length: used }, (_, index) => 1 / (index + 1) ** 0.7)
  const sum = weights.reduce((a, b) => a + b, 0)
  const shares = weights.map((weight) => Math.floor((total * weight) / sum))
  const left = total - shares.reduce((a, b) => a + b, 0)
  // Rounding leaves a remainder smaller than the number of places; it is distributed from the first on.
  return Array.from({ length: places }, (_, index) => (shares[index] ?? 0) + (index < left ? 1 : 0))
}
