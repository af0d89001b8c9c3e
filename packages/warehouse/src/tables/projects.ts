import { Label, ProjectDetail, ProjectListItem } from '@collab-etl/contract'
import { childrenOf, columnsOf, givenAs, optional } from './columns.ts'
import type { Table } from './table.ts'

const of = columnsOf(ProjectDetail)
const listed = columnsOf(ProjectListItem)

/** docs/service-api.md#projectdetail and #projectlistitem. */
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
  ],
  streams: ['projects'],
  deletedBy: 'list',
  isRecord: true,
}

const ofLabel = columnsOf(Label)

/** The columns that labels of projects and of tasks share (docs/service-api.md#label). */
export const labelColumns = [ofLabel.key('name'), ofLabel.text('description', 'desc')] as const

export const projectLabels = childrenOf(projects).table('project_labels', 'Labels of projects', labelColumns, {
  list: { field: 'labels' },
})
