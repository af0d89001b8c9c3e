import { EPOCH } from '@collab-etl/contract/timestamp'
import { hash } from './random.ts'
import type { EntryRecord, Frozen, MemberRecord, ProjectState, TeamRecord, UserRecord } from './state.ts'

/** The e-mail address of a user. It depends on the id only, because no other record of a user has one. */
export function emailOf({ uid }: Frozen<UserRecord>): string {
  return `${uid.slice(0, 8)}@collab.example`
}

/** The members of a project (docs/dev/service-api.md#member). */
export function projectMembers({ members, reference }: Frozen<ProjectState>): MemberRecord[] {
  return members.map(({ user, role, join_date }) => ({
    ...user,
    email: emailOf(user),
    role,
    join_date: join_date ?? joined(user.uid, reference.pid),
  }))
}

const FIRST_JOINED = Date.parse('2019-03-04T08:00:00.000Z')
const HOUR = 3_600_000
const HOURS = 50_000

/** A time between 2019 and 2024, the same whenever it is asked. */
function joined(uid: string, pid: string): string {
  return new Date(FIRST_JOINED + (hash(`${pid}/${uid}`, 1) % HOURS) * HOUR).toISOString()
}

/** The members of a team: those of its projects, each with the highest role and the earliest time. */
export function teamMembers(projects: readonly Frozen<ProjectState>[], teamId: string): MemberRecord[] {
  const byUid = new Map<string, MemberRecord>()
  for (const project of projects.filter(({ team_id }) => team_id === teamId)) {
    for (const member of projectMembers(project)) {
      const known = byUid.get(member.uid) ?? member
      const join_date = [known.join_date, member.join_date].sort()[0]
      byUid.set(member.uid, { ...known, role: Math.min(known.role, member.role), ...(join_date && { join_date }) })
    }
  }
  return [...byUid.values()]
}

/** The teams of a user: those with a project of which the user is a member. */
export function teamsOf(
  teams: readonly Frozen<TeamRecord>[],
  projects: readonly Frozen<ProjectState>[],
  { uid }: Frozen<UserRecord>,
): Frozen<TeamRecord>[] {
  return teams.filter(({ team_id }) => teamMembers(projects, team_id).some((member) => member.uid === uid))
}

/** The task groups of a project (docs/dev/service-api.md#entry). */
export function entriesOf({ entries, reference }: Frozen<ProjectState>): EntryRecord[] {
  return entries.map(({ created_at = EPOCH, updated_at = created_at, watched = false, ...entry }) => ({
    ...entry,
    pid: reference.pid,
    created_at,
    updated_at,
    watched,
  }))
}
