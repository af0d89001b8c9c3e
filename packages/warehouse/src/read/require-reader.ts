import type { Warehouse } from '../api.ts'
import { WarehouseError } from '../errors.ts'

/** Predefined roles whose functions reach beyond the database: files and programs of the server, other sessions. */
const FAR_REACHING = [
  'pg_execute_server_program',
  'pg_write_server_files',
  'pg_read_server_files',
  'pg_signal_backend',
  'pg_checkpoint',
  'pg_create_subscription',
]

/**
 * Refuses a role whose functions change the server although the transaction is read-only: replication slots, write-ahead log,
 * files, sessions. Membership counts as well: `set_config('role', …)` makes the member such a role.
 * @throws WarehouseError `TOO_POWERFUL`
 */
export async function requireReader(warehouse: Warehouse): Promise<void> {
  const { rows } = await warehouse.query(
    `SELECT session_user::text, r.rolname::text, r.rolsuper, r.rolreplication FROM pg_catalog.pg_roles r
     WHERE (r.rolsuper OR r.rolreplication OR r.rolname IN (${FAR_REACHING.map((name) => `'${name}'`).join(', ')}))
       AND pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
     ORDER BY r.rolname = session_user DESC, r.rolsuper DESC, r.rolname LIMIT 1`,
  )
  const [found] = rows
  if (found === undefined) return
  const [user, role, isSuperuser, mayReplicate] = found
  const right = isSuperuser === true ? 'a superuser' : mayReplicate === true ? 'allowed to replicate' : `in ${role}`
  const what = role === user || right.startsWith('in ') ? `is ${right}` : `may become ${role}, which is ${right}`
  throw new WarehouseError(
    'TOO_POWERFUL',
    `the role ${user} ${what}, and can change the server even by a query that only reads: ` +
      'connect as a role that only reads (init --grant-read ROLE), or accept it with --allow-superuser',
  )
}
