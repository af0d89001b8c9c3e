import type { Person } from '../people.ts'
import type { MemberView } from '../views/member.ts'
import type { Label } from '../views/task.ts'

/** A task as the board and the lists show it. All texts are short and well-formed. */
export interface TaskRow {
  /** Name of its file in the folder of tasks, with `.html`. */
  readonly file: string
  readonly title: string
  readonly group: string | null
  readonly position: number | null
  readonly completed: boolean
  readonly archived: boolean
  readonly dueAt: string | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly labels: readonly Label[]
  readonly people: readonly Person[]
  /** Labels and people that are not shown. */
  readonly more: number
  readonly checked: number
  readonly todos: number
}

/** A record that has to do with a person. */
export interface PersonEntry {
  readonly kind: PersonKind
  readonly title: string | null
  /** From the project's folder. */
  readonly address: string
  readonly date: string | null
}

/** What a person has to do with a record: assigned to a task, creator of a page or post, participant of an event. */
export const PERSON_KINDS = ['open', 'done', 'archived', 'pages', 'posts', 'events'] as const

/** One of them; the first three are tasks. */
export type PersonKind = (typeof PERSON_KINDS)[number]

/** How many records of each kind in `PERSON_KINDS` a person has to do with. */
export type PersonCounts = readonly number[]

/** How a person belongs to a project, where the service lists its members. */
export type Membership = Pick<MemberView, 'role' | 'joinedAt'>

/** The people of a project: of each their id, their counts, and their membership if the service lists it. */
export type PeopleNote = readonly (readonly [uid: string, counts: PersonCounts, membership?: Membership])[]

/** How many records a project has of each kind that the site holds; `tasks` are those that are not archived. */
export type SiteCounts = Readonly<
  Partial<Record<'pages' | 'posts' | 'tasks' | 'archived' | 'events' | 'files', number>>
>
