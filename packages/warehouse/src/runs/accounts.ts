import { type Account, DEFAULT_ACCOUNT, type Offered } from '@collab-etl/contract'
import { type Connection, type Driver, records } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { storable, storedId } from '../records/text.ts'
import { isSameService } from './service.ts'

/** An account that took part in a run, as `runs.accounts` has it. */
export interface RunAccount {
  /** `default` for the only account without a name. */
  readonly account: string
  /** The token's user; `null`: the service did not say. */
  readonly uid: string | null
  readonly name: string | null
  /** Number of projects that it listed, and of those that it read; `null`: not known. */
  readonly projects: number | null
  readonly read: number | null
  /** Why it failed; `null`: it did not. */
  readonly error: string | null
  /** Which observed operations it was offered; `null`: not known. */
  readonly offered: Offered | null
}

/** A row of `accounts`. */
export interface AccountRow {
  readonly account: string
  readonly uid: string | null
  readonly name: string | null
  /** Starts of the first and of the last run in which it was seen. */
  readonly first_seen_at: string
  readonly last_seen_at: string
}

/** A project as an account saw it in the list. */
export interface ProjectAccount {
  readonly pid: string
  readonly account: string
  readonly curr_role: number | null
  readonly permission: number | null
  readonly is_starred: boolean | null
  readonly position: number | null
}

/** The owner of the token of a run with one account without a name; `null`: the service did not say, or the accounts have names. */
export function ownerOf(accounts: readonly RunAccount[] | null): Account | null {
  const [only] = accounts ?? []
  if (only === undefined || namedAccounts(accounts).length > 0 || only.uid === null) return null
  return { uid: only.uid, name: only.name }
}

/** The accounts of a run if they have names; none for the one without. */
export function namedAccounts(accounts: readonly RunAccount[] | null): readonly RunAccount[] {
  return accounts?.length === 1 && accounts[0]?.account === DEFAULT_ACCOUNT ? [] : (accounts ?? [])
}

/** Sets `runs.accounts`, and notes the accounts that were seen: those of which the user is known, or which listed something. */
export async function noteAccounts(
  driver: Driver,
  { main }: SchemaNames,
  runId: string,
  accounts: readonly RunAccount[],
): Promise<void> {
  const { count } = await driver.query(
    `WITH noted AS (
       INSERT INTO ${main}.accounts AS known (account, uid, name, first_seen_at, last_seen_at)
       SELECT a.account, a.uid, a.name, r.started_at, r.started_at
       FROM jsonb_to_recordset($2::jsonb) AS a (account text, uid text, name text, projects integer) JOIN ${main}.runs r ON r.run_id = $1
       WHERE a.uid IS NOT NULL OR a.name IS NOT NULL OR a.projects > 0
       ON CONFLICT (account) DO UPDATE SET last_seen_at = excluded.last_seen_at,
         uid = CASE WHEN excluded.uid IS NULL THEN known.uid ELSE excluded.uid END,
         name = CASE WHEN excluded.uid IS NULL THEN known.name ELSE excluded.name END)
     UPDATE ${main}.runs SET accounts = $2::jsonb WHERE run_id = $1`,
    [runId, JSON.stringify(accounts.map(storableAccount))],
  )
  expectRows('runs', 'updated', count, 1)
}

/** jsonb takes neither U+0000 nor lone surrogates. */
function storableAccount(of: RunAccount): RunAccount {
  const text = (value: string | null) => (value === null ? null : storable(value).text)
  return { ...of, account: storable(of.account).text, uid: text(of.uid), name: text(of.name), error: text(of.error) }
}

/** Notes which projects each account listed. Those that an account listed before, and lists no more, stay. */
export async function noteProjectAccounts(
  driver: Driver,
  { main }: SchemaNames,
  runId: string,
  rows: readonly ProjectAccount[],
): Promise<void> {
  await driver.query(
    `INSERT INTO ${main}.project_accounts (pid, account, curr_role, permission, is_starred, position, last_seen_at)
     SELECT DISTINCT ON (a.pid, a.account) a.pid, a.account, a.curr_role, a.permission, a.is_starred, a.position, r.started_at
     FROM jsonb_to_recordset($2::jsonb) AS a (pid text, account text, curr_role smallint, permission smallint, is_starred boolean, position double precision)
       JOIN ${main}.runs r ON r.run_id = $1
     ON CONFLICT (pid, account) DO UPDATE SET curr_role = excluded.curr_role, permission = excluded.permission,
       is_starred = excluded.is_starred, position = excluded.position, last_seen_at = excluded.last_seen_at`,
    [runId, JSON.stringify(rows.map(storableRow))],
  )
}

function storableRow({ pid, curr_role: role, permission, ...row }: ProjectAccount): ProjectAccount {
  return { ...row, pid: storedId(pid), curr_role: smallint(role), permission: smallint(permission) }
}

/** `losses` has numbers that do not fit, of the row in `projects`. */
function smallint(value: number | null): number | null {
  return value !== null && Number.isInteger(value) && Math.abs(value) < 2 ** 15 ? value : null
}

/** Notes in the scopes of a run which account read each project. Who read one has seen it, also if it is in no list. */
export async function noteReaders(
  driver: Driver,
  { main }: SchemaNames,
  runId: string,
  readers: ReadonlyMap<string, string>,
): Promise<void> {
  await driver.query(
    `WITH reader AS (SELECT * FROM unnest($2::text[], $3::text[]) AS a (pid, account)), seen AS (
       INSERT INTO ${main}.project_accounts (pid, account, last_seen_at)
       SELECT a.pid, a.account, r.started_at FROM reader a JOIN ${main}.runs r ON r.run_id = $1
       ON CONFLICT (pid, account) DO UPDATE SET last_seen_at = excluded.last_seen_at)
     UPDATE ${main}.run_scopes s SET account = a.account FROM reader a WHERE s.run_id = $1 AND s.pid = a.pid`,
    [runId, [...readers.keys()].map((pid) => storedId(pid)), [...readers.values()]],
  )
}

/** All accounts that ever took part, in the order of their names. */
export async function readAccounts(driver: Driver, { main }: SchemaNames): Promise<AccountRow[]> {
  return records(
    await driver.query(
      `SELECT account, uid, name, first_seen_at, last_seen_at FROM ${main}.accounts ORDER BY account COLLATE "C"`,
    ),
  )
}

/** Which account ever listed which project, and with which permission it did last. */
export async function readProjectAccounts(
  driver: Driver,
  { main }: SchemaNames,
): Promise<Pick<ProjectAccount, 'pid' | 'account' | 'permission'>[]> {
  return records(
    await driver.query(`SELECT pid, account, permission FROM ${main}.project_accounts ORDER BY pid, account`),
  )
}

/** The account that read each project last, by a time. */
export async function readReaders(
  driver: Driver,
  { main }: SchemaNames,
  asOf: Date | undefined,
): Promise<Map<string, string>> {
  const { rows } = await driver.query(
    `SELECT DISTINCT ON (s.pid) s.pid, s.account FROM ${main}.run_scopes s JOIN ${main}.runs r USING (run_id)
     WHERE s.account IS NOT NULL AND r.started_at <= coalesce($1::timestamptz, 'infinity') ORDER BY s.pid, r.started_at DESC`,
    [asOf?.toISOString() ?? null],
  )
  return new Map(rows.map(([pid, account]) => [String(pid), String(account)]))
}

/** The accounts of a run; `null`: it has not noted them. */
export async function readAccountsOf(
  driver: Driver,
  { main }: SchemaNames,
  runId: string,
): Promise<readonly RunAccount[] | null> {
  const { rows } = await driver.query(`SELECT accounts FROM ${main}.runs WHERE run_id = $1`, [runId])
  return (rows[0]?.[0] ?? null) as readonly RunAccount[] | null // only `noteAccounts` writes it
}

/** The owner of each account's token, as of the last run of the same service that knew it. */
export async function readLastAccounts(
  driver: Driver,
  { main }: SchemaNames,
  baseUrl: string,
): Promise<Map<string, Account>> {
  const found = await driver.query(
    `SELECT DISTINCT ON (r.base_url, a.account) r.base_url, r.started_at, a.account, a.uid, a.name
     FROM ${main}.runs r, jsonb_to_recordset(r.accounts) AS a (account text, uid text, name text)
     WHERE a.uid IS NOT NULL AND EXISTS (SELECT FROM ${main}.accounts known WHERE known.account = a.account)
     ORDER BY r.base_url, a.account, r.started_at DESC`,
  )
  type Found = Account & { readonly base_url: string; readonly started_at: string; readonly account: string }
  // one service may have been called by several addresses
  const last = records<Found>(found)
    .filter((run) => isSameService(run.base_url, baseUrl))
    .sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
  return new Map(last.map(({ account, uid, name }) => [account, { uid, name }]))
}

/**
 * Known accounts that may have shown teams that are stored: under this name or by the same user, a run of the same service was given a list of
 * teams, or no run shows that the teams were complete without it. Unknown after a load, for example.
 */
export async function readTeamAccounts(driver: Driver, { main }: SchemaNames, baseUrl: string): Promise<string[]> {
  const found = await driver.query(
    `SELECT DISTINCT known.account, r.base_url,
       CASE WHEN a.offered OR EXISTS (SELECT FROM ${main}.run_scopes s WHERE s.run_id = r.run_id AND s.stream = 'teams' AND s.status = 'complete')
         THEN a.offered END AS offered
     FROM ${main}.accounts known
     LEFT JOIN ${main}.runs r ON r.started_at >= known.first_seen_at
     LEFT JOIN LATERAL (
       SELECT (coalesce(took.offered, CASE WHEN took.account = '${DEFAULT_ACCOUNT}' THEN r.capabilities END) ->> 'teams.list')::boolean AS offered
       FROM jsonb_to_recordset(r.accounts) AS took (account text, uid text, offered jsonb)
       WHERE took.account = known.account OR took.uid = known.uid) a ON true
     WHERE EXISTS (SELECT FROM ${main}.teams WHERE deleted_at IS NULL)`,
  )
  type Found = { readonly account: string; readonly base_url: string | null; readonly offered: boolean | null }
  const rows = records<Found>(found)
  const says = (account: string, offered: boolean) =>
    rows.some((row) => row.account === account && row.offered === offered && isSameService(row.base_url ?? '', baseUrl))
  const known = [...new Set(rows.map(({ account }) => account))]
  return known.filter((account) => says(account, true) || !says(account, false))
}

/** @throws WarehouseError `NO_ACCOUNT`, with the known names, if one of these has not been in any run */
export async function requireAccounts(
  driver: Driver,
  { main, name: schema }: SchemaNames,
  wanted: readonly string[],
): Promise<void> {
  const { rows } = await driver.query(
    `SELECT account COLLATE "C" FROM ${main}.accounts UNION SELECT account COLLATE "C" FROM ${main}.project_accounts ORDER BY 1`,
  )
  const names = rows.flat()
  const unknown = wanted.find((name) => !names.includes(name))
  if (unknown === undefined) return
  const known = names.length === 0 ? 'it has none' : `use one of ${names.join(', ')}`
  throw new WarehouseError('NO_ACCOUNT', `schema ${schema} has no account ${unknown}: ${known}`)
}

/** Removes an account: whose token it was, and which projects it saw. Runs keep what they noted of it. */
export async function forgetAccount(driver: Driver, schema: SchemaNames, name: string): Promise<void> {
  await driver.transaction((connection) => deleteAccount(connection, schema, name))
}

/** Gives the rows of an account to another one, which may have rows, and removes it. */
export async function renameAccount(driver: Driver, schema: SchemaNames, from: string, to: string): Promise<void> {
  const { main } = schema
  await driver.transaction(async (connection) => {
    await connection.query(
      `INSERT INTO ${main}.accounts AS known (account, uid, name, first_seen_at, last_seen_at)
       SELECT $2, uid, name, first_seen_at, last_seen_at FROM ${main}.accounts WHERE account = $1
       ON CONFLICT (account) DO UPDATE SET first_seen_at = least(known.first_seen_at, excluded.first_seen_at)`,
      [from, to],
    )
    await connection.query(
      `INSERT INTO ${main}.project_accounts (pid, account, curr_role, permission, is_starred, position, last_seen_at)
       SELECT pid, $2, curr_role, permission, is_starred, position, last_seen_at FROM ${main}.project_accounts WHERE account = $1
       ON CONFLICT (pid, account) DO NOTHING`,
      [from, to],
    )
    await deleteAccount(connection, schema, from)
  })
}

async function deleteAccount(connection: Connection, { main }: SchemaNames, name: string): Promise<void> {
  for (const table of ['accounts', 'project_accounts'])
    await connection.query(`DELETE FROM ${main}.${table} WHERE account = $1`, [name])
}
