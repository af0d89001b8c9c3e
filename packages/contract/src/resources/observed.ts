import { enumeration, id, position, resource, text, timestamp } from '../resource.ts'
import { Type } from '../schema.ts'
import { ProjectListItem, ROLES, User } from './project.ts'

const email = () => Type.Optional(text('e-mail address'))

/** The token's user. */
export const Profile = resource('Profile', ['uid'], { ...User.properties, email: email() })

/** A member of a project or of a team. */
export const Member = resource('Member', ['uid'], {
  ...User.properties,
  email: email(),
  role: enumeration('role', ROLES),
  join_date: Type.Optional(timestamp('when the user joined')),
})

/** A task group. */
export const Entry = resource('Entry', ['entry_id'], {
  entry_id: id('task group id'),
  pid: Type.Optional(id('project id')),
  name: text('task group name'),
  created_at: timestamp('creation time'),
  updated_at: timestamp('update time'),
  watched: Type.Optional(Type.Boolean({ description: "whether the token's user watches it" })),
  pos: Type.Optional(position('position')),
})

const { pid, name, desc, archived, pic, bg, visibility } = ProjectListItem.properties

/** A team. Its creator is called `created_by` or `create_by`. */
export const Team = resource('Team', ['team_id'], {
  team_id: id('team id'),
  name: text('team name'),
  url: Type.Optional(text('short name in addresses')),
  desc: Type.Optional(text('team description')),
  pic: Type.Optional(text('team icon')),
  visibility: Type.Optional(visibility),
  created_at: Type.Optional(timestamp('creation time')),
  created_by: Type.Optional(User),
  create_by: Type.Optional(User),
})

/** A project in the list of its team, which also holds projects that the token's user is not in. */
export const TeamProject = resource('TeamProject', ['pid'], {
  pid,
  name,
  desc: Type.Optional(desc),
  archived: Type.Optional(archived),
  pic: Type.Optional(pic),
  bg: Type.Optional(bg),
  visibility: Type.Optional(visibility),
})
