import { Label, Member, ProjectDetail, ProjectListItem } from '@collab-etl/contract'
import { childrenOf, columnsOf, commented, given, givenAs, optional } from './columns.ts'
import { LIVE, type Table } from './table.ts'

const of = columnsOf(ProjectDetail)
const listed = columnsOf(ProjectListItem)

/** docs/dev/service-api.md#projectdetail and #projectlistitem. */
export const projects: Table = {
  name: 'projects',
  comment: 'Projects, as the list shows them and in detail',
  key: ['pid'],
  columns: [
    of.key('pid'),
    of.text('name'),
    of.text('description', 'desc'),
    of.flag('archived'),
    of.text('pic'),
    of.text('bg'),
    of.enumeration('visibility'),
    of.id('team_id'),
    optional(listed.flag('is_starred', 'is_star')),
    optional(listed.double('position', 'pos')),
    optional(listed.integer('member_count')),
    optional(listed.enumeration('curr_role')),
    optional(listed.enumeration('permission')),
    of.user('created_by_uid', 'user id of the creator', 'created_by'),
  ],
  kept: [
    givenAs(
      'unlisted_since',
      'timestamptz',
      'start of the run that first found it missing from the list though it could be read; null while it is listed; what the list alone shows (is_starred to permission) stays as it was last listed',
    ),
    given('only_in_team', 'team whose list alone shows it; null for a project in the list of projects'),
  ],
  streams: ['projects'],
  deletedBy: 'list',
  isRecord: true,
}

/**
 * Condition: a row of `projects` is of a project that only the list of a team shows and that cannot be read. It has no scopes, and is not
 * requested by itself. One that could be read before is requested until the service answers that it does not exist.
 */
export const IS_OF_TEAM = '(only_in_team IS NOT NULL AND permission IS NOT DISTINCT FROM 0)'

const ofLabel = columnsOf(Label)
const ofMember = columnsOf(Member)

/** The columns that labels of projects and of tasks share (docs/dev/service-api.md#label). */
export const labelColumns = [ofLabel.key('name'), ofLabel.text('description', 'desc')] as const

export const projectLabels = childrenOf(projects).table('project_labels', 'Labels of projects', labelColumns, {
  list: { field: 'labels' },
})

/** docs/dev/service-api.md#observed-operations: the members of a project, where the service lists them. */
export const projectMembers: Table = {
  name: 'project_members',
  comment: 'Members of projects, where the service lists them',
  key: ['pid', 'uid'],
  columns: [
    given('pid', 'project id'),
    given('uid', 'user id'),
    ofMember.enumeration('role'),
    commented('e-mail address; null when the service leaves it out', ofMember.text('email')),
    commented('when the user joined; null when the service leaves it out', ofMember.time('joined_at', 'join_date')),
  ],
  streams: ['members'],
  deletedBy: 'absence',
  isRecord: true,
  indexes: [{ name: 'project_members_uid', columns: ['uid'], where: LIVE }],
}
