import type { Random } from '../store/random.ts'
import type { LabelRecord, ProjectState, UserRecord } from '../store/state.ts'
import type { Language } from './texts/language.ts'

/** The ids and people of a project, known before its texts are written, so that these can refer to each other. */
export interface Outline {
  readonly random: Random
  readonly language: Language
  readonly sizes: Omit<Sizes, 'projects' | 'barred'>
  readonly reference: ProjectState['reference']
  readonly labels: readonly LabelRecord[]
  readonly entries: ProjectState['entries']
  /** Its members, or the authors of a project without members. */
  readonly people: readonly UserRecord[]
  readonly caller: UserRecord
  readonly pageIds: readonly string[]
  readonly postIds: readonly string[]
  /** Some tasks have a position between two whole numbers. */
  readonly fractionalPositions: boolean
}

export function ids(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => random.id())
}

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

/** The present of all seeded data, in milliseconds since the epoch. Fixed, so that a seed always produces the same data. */
export const REFERENCE_TIME = Date.parse('2026-06-15T09:30:00.000Z')

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Creation time of the oldest data. */
const FIRST_TIME = Date.parse('2019-03-04T08:00:00.000Z')

export function iso(time: number): string {
  return new Date(time).toISOString()
}

/** A time before the present. */
export function pastTime(random: Random): number {
  return FIRST_TIME + Math.floor(random.next() * (REFERENCE_TIME - FIRST_TIME))
}

/** A time between another one and the present. */
export function since(random: Random, time: number): number {
  return time + Math.floor(random.next() ** 3 * Math.max(0, REFERENCE_TIME - time))
}
