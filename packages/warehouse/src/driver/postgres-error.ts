import { isWarehouseError, messageOf, WarehouseError } from '../errors.ts'

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EPIPE',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
])

/**
 * Classes of errors caused by the data of a statement, or by triggers, rules and constraints that others added to a table: feature
 * (rules), cardinality, data, integrity constraint, trigger, routine, conflict, definition, check option, program limit (an index row
 * that is too long), and errors that a trigger raises.
 */
const OF_DATA: ReadonlySet<string> = new Set(['0A', '21', '22', '23', '27', '38', '39', '40', '42', '44', '54', 'P0'])

/** The server ended a session by `idle_in_transaction_session_timeout`. */
const IDLE_IN_TRANSACTION = '25P03'

/** Sessions that a server refuses or ends so are not lost: it would do the same again. */
export const ENDED_BY_LIMIT: ReadonlySet<string> = new Set([IDLE_IN_TRANSACTION, '53300']) // too_many_connections

const NOT_THERE = new Set(['42P01', '3F000'])

/** What a driver threw, as a `WarehouseError` if it comes from the database; messages of Postgres hold no password. */
export function driverError(error: unknown, location: string): Error {
  if (error instanceof WarehouseError) return error
  const code = codeOf(error)
  const message = messageOf(error)
  const cause = { cause: error }
  if (
    UNREACHABLE.has(code) ||
    code.startsWith('08') ||
    /terminated|timeout|ended|not queryable/i.test(code === '' ? message : '')
  ) {
    return new WarehouseError(
      'UNREACHABLE',
      `cannot reach the database ${location}: ${message}; is it running, and the address right?`,
      cause,
    )
  }
  if (code === IDLE_IN_TRANSACTION) {
    return new WarehouseError(
      'UNREACHABLE',
      `the database ${location} ended a session that was idle within a transaction: this program was stopped or slow, or idle_in_transaction_session_timeout is too low`,
      cause,
    )
  }
  if (isRowSecurity(error)) {
    const table = /"[^"]+"/.exec(message)?.[0] ?? 'a table'
    return new WarehouseError('UNSUITABLE', rowSecurityMessage(table, location), cause)
  }
  if (code.startsWith('28') || code === '3D000' || code === '42501' || /password must be a string/.test(message)) {
    const remedy = code === '3D000' ? '; create it, or name another one' : ''
    return new WarehouseError('DENIED', `the database ${location} refused: ${message}${remedy}`, cause)
  }
  if (code === '53100') {
    return new WarehouseError(
      'DISK_FULL',
      `the disk of the database ${location} is full (${message}); free some space on its server and run again`,
      cause,
    )
  }
  if (NOT_THERE.has(code)) {
    return new WarehouseError(
      'NO_SCHEMA',
      `${location} has no schema of this version (${message}); create it first (init), or put back what was removed from it`,
      cause,
    )
  }
  // not from a database: a defect of this program, thrown as it is
  if (code === '' && error instanceof Error) return error
  return new WarehouseError('QUERY', `the database ${location} failed: ${message}`, cause)
}

/** Whether a statement failed because of the data it was to store: the statement of another project may succeed. */
export function isDataError(error: unknown): error is WarehouseError {
  if (isWarehouseError(error, 'NOT_STORED')) return true
  return isWarehouseError(error, 'QUERY') && OF_DATA.has(codeOf(error.cause).slice(0, 2))
}

/** Message: row-level security hides rows of a table from this user. */
export function rowSecurityMessage(table: string, location: string): string {
  return `row-level security of ${table} in ${location} would hide rows from this user: let it see all rows (ALTER ROLE … BYPASSRLS), or disable row security of the table`
}

/** With `row_security = off`, Postgres refuses a statement from which a policy would hide rows; by its code like any lack of rights. */
function isRowSecurity(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'check_enable_rls'
}

/** The SQLSTATE of an error of the database, of ours too where one is its cause; `''` if it has none. */
export function sqlState(error: unknown): string {
  return error instanceof WarehouseError ? codeOf(error.cause) : codeOf(error)
}

/** The first line of what Postgres adds to the message of an error; `''` if it adds nothing. */
export function detailOf(error: unknown): string {
  const thrown = error instanceof WarehouseError ? error.cause : error
  return thrown instanceof Error && 'detail' in thrown ? (String(thrown.detail ?? '').split('\n')[0] ?? '') : ''
}

/** What a driver threw while it connected: any other error means that no server was reached. */
export function connectError(error: unknown, location: string): Error {
  const message = messageOf(error)
  const cause = { cause: error }
  if (/does not support SSL/.test(message)) {
    const remedy = 'ask for none with sslmode=disable, or switch on ssl there'
    return new WarehouseError(
      'UNREACHABLE',
      `the server of ${location} offers no TLS, which sslmode demands; ${remedy}`,
      cause,
    )
  }
  if (/CERT|^UNABLE_TO_(?:GET|VERIFY)/.test(codeOf(error))) {
    const remedy = 'name its authority with sslrootcert, or the host by the name that it has there'
    return new WarehouseError(
      'UNREACHABLE',
      `the TLS certificate of ${location} is not trusted: ${message}; ${remedy}`,
      cause,
    )
  }
  const known = driverError(error, location)
  if (known instanceof WarehouseError) return known
  return new WarehouseError(
    'UNREACHABLE',
    `cannot reach the database ${location}: ${message}; what answers there is no Postgres server`,
    cause,
  )
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
