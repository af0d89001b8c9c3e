import type { Random } from '../store/random.ts'
import type { LabelRecord, ProjectState, UserRecord } from '../store/state.ts'
import type { Sizes } from './sizes.ts'
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
