/**
 * The cause of a `WarehouseError`:
 * - `LOCKED`: another run holds the lock
 * - `LOCK_LOST`: the lock's connection broke, or its file was removed or taken over, while it was in use
 * - `SCHEMA_NEWER`: the database was made by a newer version of this tool
 * - `SCHEMA_UNRELEASED`: the schema was made by a version before the first release
 * - `NO_WAREHOUSE`: the data directory has no embedded warehouse, and none was to be created
 * - `NO_SCHEMA`: the schema is missing or older than this tool: migrate first
 * - `UNFINISHED`: a load or move has not filled the warehouse to the end
 * - `MOVED`: the warehouse was moved to another database, and is only read
 * - `NOT_EMPTY`: backups are loaded, and a warehouse is moved, into an empty schema only; `SAME_PLACE`: it would be moved to where it is
 * - `BACKUPS`: an interrupted load cannot be finished with the backups that are there
 * - `OTHER_SERVICE`: the schema belongs to another service than the one that is to be read
 * - `NO_ROLE`: a role that is to read does not exist; `NO_ACCOUNT`: an account that is to be forgotten
 * - `UNREACHABLE`: no connection to the server; `DENIED`: it refused the user, the database or a permission
 * - `UNSUITABLE`: a server or database in which the warehouse cannot be: too old, another encoding than UTF-8, or row-level security
 * - `BAD_URL`, `BAD_SCHEMA_NAME`: a setting that cannot be used
 * - `CLOCK`: the last run or a row is ahead of this machine's clock, or the server's clock differs: `acceptClock`
 * - `DATA_DIR`: the embedded warehouse's directory cannot be used
 * - `OVERTIME`: the time of the work was over, and the database kept it waiting (`limitWaits`)
 * - `DISK_FULL`: the disk of an open database is full
 * - `QUERY`: a statement failed
 * - `NOT_STORED`: the database did not write all rows that it was given: a trigger, a rule, or other sessions
 * - `STALE`: the project cannot be published, because its run has ended, another process coordinates the run, or another worker has taken the job;
 *   or the rows that a backup read were changed meanwhile
 * - `MISUSE`: a call that the state of the warehouse, run or stage does not allow, e.g. any after `close`
 * - `TOO_POWERFUL`: a query as a role that can do more than read: `allowSuperuser`
 */
export type WarehouseErrorCode =
  | 'LOCKED'
  | 'LOCK_LOST'
  | 'SCHEMA_NEWER'
  | 'SCHEMA_UNRELEASED'
  | 'NO_WAREHOUSE'
  | 'NO_SCHEMA'
  | 'UNFINISHED'
  | 'MOVED'
  | 'NOT_EMPTY'
  | 'SAME_PLACE'
  | 'BACKUPS'
  | 'OTHER_SERVICE'
  | 'NO_ROLE'
  | 'NO_ACCOUNT'
  | 'UNREACHABLE'
  | 'DENIED'
  | 'UNSUITABLE'
  | 'BAD_URL'
  | 'BAD_SCHEMA_NAME'
  | 'CLOCK'
  | 'DATA_DIR'
  | 'OVERTIME'
  | 'DISK_FULL'
  | 'QUERY'
  | 'NOT_STORED'
  | 'TOO_POWERFUL'
  | 'STALE'
  | 'MISUSE'

/** Every error of the warehouse. The message is one line without password: what failed, where, and what to do. */
export class WarehouseError extends Error {
  override readonly name = 'WarehouseError'
  readonly code: WarehouseErrorCode

  constructor(code: WarehouseErrorCode, message: string, options?: ErrorOptions) {
    super(oneLine(message), options)
    this.code = code
  }
}

/** `UNREACHABLE`: the session broke before the answer to COMMIT arrived. Whether it was carried out is to be found out. */
export class UnsureCommitError extends WarehouseError {
  /** What the transaction returned. */
  readonly result: unknown

  constructor({ message, cause }: WarehouseError, result: unknown) {
    super('UNREACHABLE', message, { cause })
    this.result = result
  }
}

/** Whether an error is a `WarehouseError`, and of that code if one is given. */
export function isWarehouseError(error: unknown, code?: WarehouseErrorCode): error is WarehouseError {
  return error instanceof WarehouseError && (code === undefined || error.code === code)
}

/** Mended by another setting, or by another argument of a command. Nothing was changed. */
const USAGE_CODES: ReadonlySet<WarehouseErrorCode> = new Set([
  'SCHEMA_NEWER',
  'SCHEMA_UNRELEASED',
  'NO_WAREHOUSE',
  'NO_SCHEMA',
  'UNFINISHED',
  'MOVED',
  'NOT_EMPTY',
  'SAME_PLACE',
  'BACKUPS',
  'OTHER_SERVICE',
  'NO_ROLE',
  'NO_ACCOUNT',
  'UNSUITABLE',
  'BAD_URL',
  'BAD_SCHEMA_NAME',
  'CLOCK',
  'TOO_POWERFUL',
  'DATA_DIR',
])

/** The kind of failure that an error is, from which its exit code follows. */
export function kindOf({ code }: WarehouseError): 'usage' | 'locked' | 'unexpected' {
  if (code === 'LOCKED') return 'locked'
  return USAGE_CODES.has(code) ? 'usage' : 'unexpected'
}

/** A warehouse was used after it was closed. */
export function closedError(location: string): WarehouseError {
  return new WarehouseError('MISUSE', `the warehouse in ${location} is closed; open it again`)
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim()
}
