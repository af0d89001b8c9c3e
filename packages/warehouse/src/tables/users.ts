import type { RowWriter } from '../convert/row-writer.ts'
import type { ReceivedUser } from '../convert/scope-memory.ts'
import { type Cell, column, enumColumn, idColumn, LEFT_OUT, type Table } from '../convert/table.ts'

/** docs/service-api.md#user: whoever is mentioned in a record. */
export const users: Table = {
  name: 'users',
  comment: 'Users, as they are embedded in other records; never marked deleted',
  key: ['uid'],
  columns: [
    idColumn('uid', 'user id'),
    column('name', 'text', 'user name'),
    column('display_name', 'text', 'nickname'),
    column('avatar', 'text', 'avatar file name'),
    column('description', 'text', 'user description (may be empty)'),
    enumColumn('status', 'state of the account', { 1: 'normal', 2: 'invited', 3: 'needs e-mail confirmation' }),
    enumColumn(
      'online',
      'presence when last read',
      { 0: 'offline', 1: 'online', 2: 'busy', 3: 'away' },
      { volatile: true },
    ),
  ],
  streams: ['projects', 'tasks', 'archived_tasks', 'pages', 'posts', 'events', 'files'],
  deletedBy: 'never',
  shared: true,
}

/** Writes the user who stands in the record's field and gives the id to refer to; null when there is none. */
export function userRef(rows: RowWriter, user: ReceivedUser | null | undefined, field: string): Cell {
  if (user === null || user === undefined) return rows.isLeftOut(field) ? LEFT_OUT : null
  if (user.uid === '') return null
  const known = rows.memory.knownUser(user)
  if (known !== undefined) return known
  rows.within(field)
  const uid = writeUser(rows, user)
  rows.within('')
  return uid
}

/** Writes a list of users and a row of `table` for each, whose key is `key` and the user's id. */
export function userList(
  rows: RowWriter,
  table: Table,
  list: readonly ReceivedUser[],
  field: string,
  key: readonly string[],
): void {
  const guard = rows.newList()
  for (const [index, user] of list.entries()) {
    rows.within(field, index)
    if (user.uid === '') {
      rows.lose('', 'unkeyed', user)
      continue
    }
    const uid = rows.memory.knownUser(user) ?? writeUser(rows, user)
    if (guard.isNew(uid, user)) rows.row(table, [...key, uid, null])
  }
  rows.within('')
}

function writeUser(rows: RowWriter, user: ReceivedUser): string {
  const uid = rows.key(user.uid, 'uid')
  rows.memory.rememberUser(user, uid)
  rows.row(users, [
    uid,
    rows.text(user.name, 'name'),
    rows.text(user.display_name, 'display_name'),
    rows.text(user.avatar, 'avatar'),
    rows.text(user.desc, 'desc'),
    rows.smallint(user.status, 'status'),
    rows.smallint(user.online, 'online'),
    rows.extra(user.extra),
  ])
  return uid
}
