import { membershipIn } from './membership.ts'
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

/** A project as operation 12 returns it (docs/service-api.md#projectdetail). */
export function projectDetail(project: Frozen<ProjectState>): Frozen<ProjectDetailRecord> {
  const { desc, archived, visibility, team_id, labels, created_by } = project
  const { pid, name, pic, bg } = project.reference
  return { pid, name, desc, archived, pic, bg, visibility, team_id, labels, created_by }
}

/** A project as operation 15 lists it for a user (docs/service-api.md#projectlistitem); `null` if the user does not see it. */
export function projectListItem(project: Frozen<ProjectState>, user: Frozen<UserRecord>): ProjectListItemRecord | null {
  const membership = membershipIn(project, user)
  if (!membership) return null
  const { desc, archived, visibility, team_id, is_star, pos, members } = project
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

/** A file as contained in comments (docs/service-api.md#comment). */
export function attached(file: Frozen<FileRecord>): CommentRecord['files'][number] {
  const { fid, name, desc, pid, size, path, folder_id } = file
  return { fid, name, desc, pid, size, path, folder_id }
}
