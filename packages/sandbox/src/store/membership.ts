import type { Frozen, ProjectState, UserRecord } from './state.ts'

/** A user's role and permission in a project (docs/service-api.md#projectlistitem). */
export interface Standing {
  readonly role: number
  readonly permission: number
}

/**
 * What a permission allows, as bits of the documented numbers (31, 15, 7, 5, 0). The service's page leaves open which
 * operation needs which; here reading needs `read`, adding a comment `comment`, creating and deleting `change`.
 */
const RIGHTS = { read: 1, comment: 2, change: 8 } as const

export type Right = keyof typeof RIGHTS

const PUBLIC = 3
const GUEST: Standing = { role: 4, permission: 5 }

/** Where a user stands in a project: as a member, as a guest of a public one, or `null` for not at all. */
export function standingIn(project: Frozen<ProjectState>, user: Frozen<UserRecord>): Standing | null {
  const member = project.members.find((candidate) => candidate.user.uid === user.uid)
  if (member) return member
  return project.visibility === PUBLIC ? GUEST : null
}

export function may(standing: Standing | null, right: Right): boolean {
  return standing !== null && (standing.permission & RIGHTS[right]) !== 0
}
