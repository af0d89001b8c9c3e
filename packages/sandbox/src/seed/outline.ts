import type { LabelRecord, ProjectState, UserRecord } from '../store/state.ts'
import type { Random } from './random.ts'
import type { Sizes } from './sizes.ts'
import type { Language } from './texts/language.ts'

/** What is known of a project before anything in it is written: ids, so that its texts can link to one another. */
export interface Outline {
  readonly random: Random
  readonly language: Language
  readonly sizes: Omit<Sizes, 'projects' | 'barred'>
  readonly reference: ProjectState['reference']
  readonly labels: readonly LabelRecord[]
  readonly entries: ProjectState['entries']
  /** Its members, or whoever else writes in it. */
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
