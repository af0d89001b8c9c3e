import { count, enumeration, flag, id, position, resource, text, timestamp } from '../resource.ts'
import { Type } from '../schema.ts'

/** A user. */
export const User = resource('User', ['uid'], {
  uid: id('user id'),
  name: text('user name'),
  display_name: text('nickname'),
  avatar: text('avatar file name'),
  desc: text('user description'),
  status: enumeration('state of the account', { 1: 'normal', 2: 'invited', 3: 'needs e-mail confirmation' }),
  online: enumeration('presence', { 0: 'offline', 1: 'online', 2: 'busy', 3: 'away' }),
})

/** A label of a task or of a project. */
export const Label = resource('Label', ['name'], {
  name: text('label name (a colour word)'),
  desc: text('label description'),
})

const visibility = () => enumeration('who may see it', { 1: 'private', 2: 'team', 3: 'public' })

/** Roles in a project or a team. */
export const ROLES = { 1: 'administrator', 2: 'member', 3: 'visitor', 4: 'guest' } as const

/** A role in words; `null` if it is none of them. */
export function roleName(role: unknown): string | null {
  return Object.entries(ROLES).find(([number]) => Number(number) === role)?.[1] ?? null
}

/** A project as it is embedded in tasks and events, as `project`. */
export const ProjectReference = resource('ProjectReference', ['pid'], {
  pid: id('project id'),
  name: text('project name'),
  pic: text('project icon'),
  bg: text('project background colour'),
})

/** A project in detail: the answer of operation 12. */
export const ProjectDetail = resource('ProjectDetail', ['pid'], {
  pid: id('project id'),
  name: text('project name'),
  desc: text('description'),
  archived: flag('whether the project is archived'),
  pic: text('icon'),
  bg: text('background colour'),
  visibility: visibility(),
  team_id: id('team id'),
  labels: Type.Array(Label, { description: 'project labels' }),
  created_by: User,
})

/** An entry in the list of projects: an element of the answer of operation 15. */
export const ProjectListItem = resource('ProjectListItem', ['pid'], {
  pid: id('project id'),
  name: text('project name'),
  team_id: id('team id'),
  desc: text('description'),
  archived: flag('whether the project is archived'),
  pic: text('icon'),
  bg: text('background colour'),
  visibility: visibility(),
  is_star: flag("whether it is a favourite of the token's user"),
  pos: position("position in the user's list (may be fractional)"),
  member_count: count('number of members'),
  curr_role: enumeration("role of the token's user", ROLES),
  permission: enumeration("permission of the token's user", {
    31: 'administrator',
    15: 'member',
    7: 'visitor',
    5: 'guest',
    0: 'cannot operate',
  }),
})

/** A webhook of a project, or a personal one. */
export const Webhook = resource('Webhook', ['wid'], {
  wid: id('webhook id'),
  pid: id('project id; empty for a personal webhook'),
  uid: id('id of the user who set the webhook'),
  name: text('webhook name'),
  web_hook_url: text('target URL'),
  created_at: timestamp('creation time'),
  updated_at: timestamp('update time'),
  actions: Type.Array(Type.String(), { description: 'event kinds of a project webhook' }),
  is_every: flag('whether it is sent every event'),
  type: enumeration('kind', { 0: 'project webhook', 1: 'personal webhook' }),
})

/** The answer of a deletion. Documented as a boolean, while samples have its text form: both are valid. */
export const Success = resource('Success', [], {
  success: Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
    description: 'whether the change was made',
  }),
})
