import { WarehouseError } from '../errors.ts'
import type { StoredRows } from './stored-rows.ts'

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
export async function requireReader(stored: StoredRows): Promise<void> {
  const { rows } = await stored.query(
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

/** Predefined roles that see passwords, settings with secrets, or the statements of other roles. */
const READS_SECRETS = ['pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_read_all_data']

/** Extensions whose functions send data to other servers. */
const REACHES_OUT = ['dblink', 'http', 'pg_net', 'aws_s3', 'aws_lambda']

/**
 * Refuses a role to which the database shows secrets, and one that may call functions that send data to other servers: a statement of an
 * assistant may have been suggested by a text that it read. `requireReader` must be called as well.
 * @throws WarehouseError `TOO_POWERFUL`
 */
export async function requireNoSecrets(stored: StoredRows): Promise<void> {
  const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')
  const { rows } = await stored.query(
    `SELECT session_user::text, 'is in ' || r.rolname FROM pg_catalog.pg_roles r
     WHERE r.rolname IN (${list(READS_SECRETS)}) AND pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
     UNION ALL SELECT session_user::text, 'may call functions of the extension ' || e.extname FROM pg_catalog.pg_extension e
     WHERE e.extname IN (${list(REACHES_OUT)}) AND EXISTS (
       SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_proc p ON p.oid = d.objid
       WHERE d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
         AND d.classid = 'pg_catalog.pg_proc'::regclass AND pg_catalog.has_function_privilege(session_user, p.oid, 'EXECUTE'))
     ORDER BY 2 LIMIT 1`,
  )
  const [found] = rows
  if (found === undefined) return
  throw new WarehouseError(
    'TOO_POWERFUL',
    `the role ${found[0]} ${found[1]}: statements of others could read secrets or send data away; ` +
      'connect as a role that reads the warehouse alone (init --grant-read ROLE)',
  )
}
