import { emailOf, projectMembers, teamMembers, teamsOf } from '../store/people.ts'
import type { UserRecord } from '../store/state.ts'
import { projectDetail } from '../store/views.ts'
import { type Context, existing, type Handlers, projectFor, removeFirst, timestamp } from './handler.ts'

export const profileHandlers: Handlers<'profile.get'> = {
  'profile.get': ({ store: { caller } }) => ({ ...caller, email: emailOf(caller) }),
}

export const teamHandlers: Handlers<'teams.list' | 'teams.get' | 'teams.members.list' | 'teams.projects.list'> = {
  'teams.list': ({ store }) => teamsOf(store.teams, store.projects, store.caller),

  'teams.get': (context, { team_id }) => teamFor(context, team_id),

  'teams.members.list': (context, { team_id }) => {
    teamFor(context, team_id)
    return teamMembers(context.store.projects, team_id)
  },

  'teams.projects.list': (context, { team_id }) => {
    teamFor(context, team_id)
    return context.store.projects
      .filter((project) => project.team_id === team_id)
      .map((project) => {
        const { pid, name, desc, archived, pic, bg, visibility } = projectDetail(project)
        return { pid, name, desc, archived, pic, bg, visibility }
      })
  },
}

/** A team of the caller; other teams do not exist for the caller. */
function teamFor({ store }: Context, teamId: string) {
  return existing(teamsOf(store.teams, store.projects, store.caller).find(({ team_id }) => team_id === teamId))
}

const INVITED = 2

const PERMISSIONS = { 1: 31, 2: 15, 3: 7 } as const

export const memberHandlers: Handlers<'projects.members.list' | 'projects.members.add' | 'projects.members.delete'> = {
  'projects.members.list': (context, { pid }) => projectMembers(projectFor(context, pid, 'read')),

  // A user whom the sandbox does not know is invited.
  'projects.members.add': (context, { pid, uid, role }) => {
    projectFor(context, pid, 'change')
    const known = context.store.users.find((user) => user.uid === uid)
    const user = (known ?? invited(uid)) as UserRecord // the store's own object, which all records share
    const as = role as keyof typeof PERMISSIONS // its range was checked
    context.store.change(pid, ({ members }) => {
      const member = members.find((candidate) => candidate.user.uid === uid)
      if (member) Object.assign(member, { role: as, permission: PERMISSIONS[as] })
      else members.push({ user, role: as, permission: PERMISSIONS[as], join_date: timestamp(context) })
    })
    return existing(projectMembers(context.store.project(pid)).find((member) => member.uid === uid))
  },

  'projects.members.delete': (context, { pid, uid }) => {
    projectFor(context, pid, 'change')
    return context.store.change(pid, ({ members }) => {
      removeFirst(members, ({ user }) => user.uid === uid, 'failed')
      return { success: true }
    })
  },
}

function invited(uid: string): UserRecord {
  return { uid, name: '', display_name: '', avatar: 'default.png', desc: '', status: INVITED, online: 0 }
}
