import { User } from '@collab-etl/contract'
import { columnsOf } from './columns.ts'
import type { Table } from './table.ts'

const of = columnsOf(User)

/** docs/service-api.md#user: the users whom records embed. */
export const users: Table = {
  name: 'users',
  comment: 'Users, as they are embedded in other records; never marked deleted',
  key: ['uid'],
  columns: [
    of.key('uid'),
    of.text('name'),
    of.text('display_name'),
    of.text('avatar'),
    of.text('description', 'desc'),
    of.enumeration('status'),
    { ...of.enumeration('online'), volatile: true },
  ],
  streams: ['projects', 'tasks', 'archived_tasks', 'pages', 'posts', 'events', 'files'],
  deletedBy: 'never',
  shared: true,
}
