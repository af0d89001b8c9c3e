import type { Label, ProjectDetail, ProjectListItem, Received } from '@collab-etl/contract'
import type { Table } from '../convert/table.ts'
import { columnsOf, given, givenAs, optional } from './columns.ts'

const of = columnsOf<Received<typeof ProjectDetail>>()
const listed = columnsOf<Received<typeof ProjectListItem>>()

/** docs/service-api.md#projectdetail and #projectlistitem. */
export const projects: Table = {
  name: 'projects',
  comment: 'Projects, as the list shows them and in detail',
  key: ['pid'],
  columns: [
    of.key('pid', 'project id'),
    of.text('name', 'project name'),
    of.text('description', 'description', 'desc'),
    of.flag('archived', 'whether the project is archived'),
    of.text('pic', 'icon'),
    of.text('bg', 'background colour'),
    of.enumeration('visibility', 'who may see it', { 1: 'private', 2: 'team', 3: 'public' }),
    of.id('team_id', 'team id'),
    optional(listed.flag('is_starred', "whether it is a favourite of the token's user", 'is_star')),
    optional(listed.double('position', "position in the user's list (may be fractional)", 'pos')),
    optional(listed.integer('member_count', 'number of members')),
    optional(
      listed.enumeration('curr_role', "role of the token's user", {
        1: 'administrator',
        2: 'member',
        3: 'visitor',
        4: 'guest',
      }),
    ),
    optional(
      listed.enumeration('permission', "permission of the token's user", {
        31: 'administrator',
        15: 'member',
        7: 'visitor',
        5: 'guest',
        0: 'cannot operate',
      }),
    ),
    of.user('created_by_uid', 'user id of the creator', 'created_by'),
  ],
  kept: [
    givenAs(
      'unlisted_since',
      'timestamptz',
      'start of the run that first found it missing from the list though it could be read; null while it is listed; what the list alone shows (is_starred to permission) stays as it was last listed',
    ),
  ],
  streams: ['projects'],
  deletedBy: 'list',
  isRecord: true,
}

/** The columns that labels of projects and of tasks share (docs/service-api.md#label). */
export const labelColumns = [
  columnsOf<Received<typeof Label>>().key('name', 'label name (a colour word)'),
  columnsOf<Received<typeof Label>>().text('description', 'label description', 'desc'),
] as const

export const projectLabels: Table = {
  name: 'project_labels',
  comment: 'Labels of projects',
  key: ['pid', 'name'],
  columns: [given('pid', 'project id'), ...labelColumns],
  streams: ['projects'],
  deletedBy: 'parent',
  parent: { tables: ['projects'], on: [] },
  list: { field: 'labels' },
}
