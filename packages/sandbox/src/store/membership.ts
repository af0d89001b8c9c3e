import type { Frozen, ProjectState, UserRecord } from './state.ts'

/** A user's role and permission in a project (docs/service-api.md#projectlistitem). */
export interface Membership {
  readonly role: number
  readonly permission: number
}

/**
 * Rights as bits of the documented permissions (31, 15, 7, 5, 0). Which operation needs which is not documented; here reading needs
 * `read`, adding a comment `comment`, creating and deleting `change`.
 */
const RIGHTS = { read: 1, comment: 2, change: 8 } as const

export type Right = keyof typeof RIGHTS

const PUBLIC = 3
const GUEST: Membership = { role: 4, permission: 5 }

/** A user's membership of a project: as a member, as a guest of a public project, or `null` for none. */
export function membershipIn(project: Frozen<ProjectState>, user: Frozen<UserRecord>): Membership | null {
  const member = project.members.find((candidate) => candidate.user.uid === user.uid)
  if (member) return member
  return project.visibility === PUBLIC ? GUEST : null
}

export function may(membership: Membership | null, right: Right): boolean {
  return membership !== null && (membership.permission & RIGHTS[right]) !== 0
}
