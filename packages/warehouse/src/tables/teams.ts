import { Team } from '@collab-etl/contract'
import { columnsOf, commented } from './columns.ts'
import type { Table } from './table.ts'

const of = columnsOf(Team)

/** docs/dev/service-api.md#observed-operations: the teams of the token's user, where the service lists them. */
export const teams: Table = {
  name: 'teams',
  comment: 'Teams of the user of the token, where the service lists them',
  key: ['team_id'],
  columns: [
    of.key('team_id'),
    of.text('name'),
    of.text('url'),
    of.text('pic'),
    of.text('description', 'desc'),
    of.enumeration('visibility'),
    commented(
      'user id of the creator; null when the service leaves it out',
      of.user('created_by_uid', '', 'created_by'),
    ),
    of.time('created_at'),
  ],
  streams: ['teams'],
  deletedBy: 'absence',
  isRecord: true,
}
