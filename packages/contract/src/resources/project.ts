import Type from 'typebox'
import { count, enumeration, flag, id, position, text } from '../fields.ts'
import { resource } from '../resource.ts'
import { Label } from './label.ts'
import { User } from './user.ts'

const visibility = () => enumeration('who may see it', { 1: 'private', 2: 'team', 3: 'public' })

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
  is_star: flag('whether it is a favourite of the caller'),
  pos: position('position in the list (may be fractional)'),
  member_count: count('number of members'),
  curr_role: enumeration("the caller's role", { 1: 'administrator', 2: 'member', 3: 'visitor', 4: 'guest' }),
  permission: enumeration("the caller's permission", {
    31: 'administrator',
    15: 'member',
    7: 'visitor',
    5: 'guest',
    0: 'cannot operate',
  }),
})
