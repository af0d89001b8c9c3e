import type { ReceivedUser } from '../convert/scope-memory.ts'
import type { Table } from '../convert/table.ts'
import { columnsOf } from './columns.ts'

const of = columnsOf<ReceivedUser>()

/** docs/service-api.md#user: the users whom records embed. */
export const users: Table = {
  name: 'users',
  comment: 'Users, as they are embedded in other records; never marked deleted',
  key: ['uid'],
  columns: [
    of.key('uid', 'user id'),
    of.text('name', 'user name'),
    of.text('display_name', 'nickname'),
    of.text('avatar', 'avatar file name'),
    of.text('description', 'user description (may be empty)', 'desc'),
    of.enumeration('status', 'state of the account', { 1: 'normal', 2: 'invited', 3: 'needs e-mail confirmation' }),
    {
      ...of.enumeration('online', 'presence when last read', { 0: 'offline', 1: 'online', 2: 'busy', 3: 'away' }),
      volatile: true,
    },
  ],
  streams: ['projects', 'tasks', 'archived_tasks', 'pages', 'posts', 'events', 'files'],
  deletedBy: 'never',
  shared: true,
}
