import { bagFailure } from '@collab-etl/backups/errors'
import { CliError, deniedError, EXIT, type ExitCode, UsageError } from '@collab-etl/cli'
import {
  type CollabError,
  isAuthError,
  isCollabError,
  isSignInError,
  isTransportError,
  type SignInErrorKind,
} from '@collab-etl/core/errors'
import { isWarehouseError, kindOf } from '@collab-etl/warehouse/errors'

/** Exit codes of a token that could not be had. An address that gives none now is an unreachable service. */
const SIGN_IN_EXITS: Readonly<Record<SignInErrorKind, ExitCode>> = {
  unusable: EXIT.usage,
  refused: EXIT.unauthorised,
  unreachable: EXIT.unexpected,
}

/** What to do about a missing warehouse. */
const NO_WAREHOUSE_ADVICE =
  'run collab-extract snapshot, or set DATABASE_URL. To back up the service directly, give --base-url URL'

/** What a full or failing disk means for whoever wants a backup. */
const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space and run it again',
  EDQUOT: 'the disk quota is used up: free some space and run it again',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EMFILE: 'too many files are open: raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk failed to read or write',
  ENOENT: 'there is no such directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  ENAMETOOLONG: 'the path is too long: choose a shorter --out',
}

/** Gives errors of the service, the warehouse and the file system their exit codes. */
export function toCliError(error: unknown): CliError | undefined {
  if (isSignInError(error)) {
    return new CliError(error.message, { exitCode: SIGN_IN_EXITS[error.kind], code: error.errorCode, cause: error })
  }
  if (isAuthError(error)) {
    const message = `${error.message} Run collab-extract check: it tries the token in the header and in the query string.`
    return new CliError(message, { exitCode: EXIT.unauthorised, code: 'UNAUTHORISED', cause: error })
  }
  if (isCollabError(error)) {
    return new CliError(`${error.message}${adviceOn(error)}`, { code: error.errorCode, cause: error })
  }
  if (isWarehouseError(error)) {
    const { code, message } = error
    const advice = code === 'NO_WAREHOUSE' ? `; ${NO_WAREHOUSE_ADVICE}` : ''
    return new CliError(`${message}${advice}`, {
      exitCode: EXIT[kindOf(error)],
      code,
      cause: error,
    })
  }
  const ofBag = bagFailure(error)
  if (ofBag !== undefined) return ofBag
  const reason = reasonOf(error)
  const path = error instanceof Error && 'path' in error ? `${error.path}: ` : ''
  return reason === undefined ? undefined : new CliError(`${path}${reason}`, { code: 'FILE', cause: error })
}

/** What to do about a service that cannot be talked to, in terms of our flags. */
function adviceOn(error: CollabError): string {
  if (isTransportError(error, 'connect')) return ' --base-url or COLLAB_BASE_URL sets the address.'
  if (isTransportError(error, 'tls'))
    return ' Certificates are always verified; an authority of your own is trusted with --ca FILE.'
  return ''
}

/** Runs the steps before anything is changed: a failure of the file system then means that a setting is wrong. */
async function beforehand<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const reason = reasonOf(error)
    throw reason === undefined ? error : new UsageError(`${what}: ${reason}`, { cause: error })
  }
}

/** Runs the steps before a backup or an archive is written. */
export function beforeWriting<T>(
  directory: string,
  action: () => Promise<T>,
  what: 'backup' | 'archive' | 'conversion' = 'backup',
): Promise<T> {
  return beforehand(`no ${what} can be written to ${directory}`, action)
}

/** Runs the search for backups. */
export function beforeListing<T>(directory: string, action: () => Promise<T>): Promise<T> {
  return beforehand(`backups in ${directory} cannot be listed`, action)
}

/** Runs the steps before backups are removed. */
export function beforePruning<T>(directory: string, action: () => Promise<T>): Promise<T> {
  return beforehand(`nothing can be removed from ${directory}`, action)
}

/** Runs the writing itself. If it fails, what was written is removed. */
export async function whileWriting<T>(
  directory: string,
  action: () => Promise<T>,
  what: 'backup' | 'archive' | 'conversion' = 'backup',
): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    // such as a backup that root wrote between those of this user
    const message = `the ${what} in ${directory} failed and was removed: ${deniedError(error)?.message ?? reason}`
    throw new CliError(message, { code: 'FILE', cause: error })
  }
}

/** Why the file system refused; `undefined` for what is no error of it. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined
  return FILE_FAILURES[String(error.code)] ?? String(error.code)
}
