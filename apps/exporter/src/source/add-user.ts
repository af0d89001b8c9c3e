import { tableByName } from '@collab-etl/warehouse'
import type { SourceRow } from './backup-rows.ts'

/** Columns of users that only some records have: others leave the value as it is. */
const KEPT = tableByName('users')
  .columns.filter((column) => column.keptIfMissing)
  .map((column) => column.name)

/** Adds a user; a later row of the same one counts. */
export function addUser(users: Map<string, SourceRow>, user: SourceRow): void {
  const uid = String(user['uid'])
  const before = users.get(uid)
  const kept = KEPT.map((column) => [column, user[column] ?? before?.[column] ?? null])
  users.set(uid, { ...user, ...Object.fromEntries(kept) })
}
