import { Profile } from '@collab-etl/contract'
import { columnsOf } from './columns.ts'
import type { Table } from './table.ts'

const of = columnsOf(Profile)

/** docs/dev/service-api.md#user: the users whom records embed. */
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
    {
      ...of.text('email'),
      comment: 'e-mail address, as a list of members showed it last; null if none did',
      keptIfMissing: true,
    },
  ],
  // those whose records show users
  streams: [
    'projects',
    'members',
    'tasks',
    'archived_tasks',
    'task_comments',
    'pages',
    'posts',
    'events',
    'files',
    'teams',
  ],
  deletedBy: 'never',
  shared: true,
}
