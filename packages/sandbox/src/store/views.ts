import type {
  CommentRecord,
  FileRecord,
  Frozen,
  ProjectDetailRecord,
  ProjectListItemRecord,
  ProjectState,
  TaskRecord,
  UserRecord,
} from './state.ts'

/** A project as operation 12 returns it (docs/dev/service-api.md#projectdetail). */
export function projectDetail(project: Frozen<ProjectState>): Frozen<ProjectDetailRecord> {
  const { desc, archived, visibility, team_id, labels, created_by } = project
  const { pid, name, pic, bg } = project.reference
  return { pid, name, desc, archived, pic, bg, visibility, team_id, labels, created_by }
}

/** A project as operation 15 lists it for a user (docs/dev/service-api.md#projectlistitem); `null` if the user does not see it. */
export function projectListItem(project: Frozen<ProjectState>, user: Frozen<UserRecord>): ProjectListItemRecord | null {
  const membership = membershipIn(project, user)
  if (!membership) return null
  const { desc, archived, visibility, team_id, members } = project
  const { is_star = project.is_star, pos = project.pos } = memberOf(project, user) ?? {}
  return {
    pid: project.reference.pid,
    name: project.reference.name,
    team_id,
    desc,
    archived,
    pic: project.reference.pic,
    bg: project.reference.bg,
    visibility,
    is_star,
    pos,
    member_count: members.length,
    curr_role: membership.role,
    permission: membership.permission,
  }
}

/** A task as operations 2 and 4 return it, without `pos` and `completed_date`. */
export function bareTask<T extends Frozen<TaskRecord>>(task: T): Omit<T, 'pos' | 'completed_date'> {
  const { pos: _pos, completed_date: _completed, ...bare } = task
  return bare
}

/** A file as contained in comments (docs/dev/service-api.md#comment). */
export function attached(file: Frozen<FileRecord>): CommentRecord['files'][number] {
  const { fid, name, desc, pid, size, path, folder_id } = file
  return { fid, name, desc, pid, size, path, folder_id }
}

/** A user's role and permission in a project (docs/dev/service-api.md#projectlistitem). */
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
  const member = memberOf(project, user)
  if (member) return member
  return project.visibility === PUBLIC ? GUEST : null
}

function memberOf({ members }: Frozen<ProjectState>, { uid }: Frozen<UserRecord>) {
  return members.find(({ user }) => user.uid === uid)
}

export function may(membership: Membership | null, right: Right): boolean {
  return membership !== null && (membership.permission & RIGHTS[right]) !== 0
}

/** Length of a summary, in characters. */
const SUMMARY_LENGTH = 140

/** The summary of a content: its beginning, on one line. */
export function summaryOf(content: string): string {
  return [...content.replace(/\s+/gu, ' ').trim()].slice(0, SUMMARY_LENGTH).join('')
}
