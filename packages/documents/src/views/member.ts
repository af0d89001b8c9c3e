import { roleName } from '@collab-etl/contract'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { People, Person } from '../people.ts'
import { keyOf, type Row, textOf } from '../row.ts'

/** A member of a project as documents show it. */
export interface MemberView {
  readonly person: Person
  /** In words; `null` if the service sent none that is known. */
  readonly role: string | null
  /** ISO text; `null` if the service sent none. */
  readonly joinedAt: string | null
}

/** The view of a row of `project_members`. */
export function memberView(row: Row, people: People): MemberView {
  return {
    person: people.person(keyOf(row, 'uid')),
    role: roleName(row['role']),
    joinedAt: textOf(row, 'joined_at'),
  }
}

/** Members by their names, then by their ids. */
export function byName(a: MemberView, b: MemberView): number {
  return compareBytes(a.person.name ?? '', b.person.name ?? '') || compareBytes(a.person.uid, b.person.uid)
}
