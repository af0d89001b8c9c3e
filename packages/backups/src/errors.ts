import { type BagErrorCode, isBagError } from '@collab-etl/bagit/errors'
import { CliError, EXIT, type ExitCode, UsageError } from '@collab-etl/cli'

/** Exit code and advice for errors of bags and archives. */
const BAG_ERRORS: Readonly<Record<BagErrorCode, readonly [exitCode: ExitCode, advice: string]>> = {
  DAMAGED: [EXIT.damage, '; collab-export verify lists all of it'],
  DENIED: [EXIT.unexpected, ': run as a user who may read it, such as the one who made it'],
  EXISTS: [EXIT.usage, ': remove it first, or give another --out'],
  NOT_AN_ARCHIVE: [EXIT.usage, ''],
  TOO_LARGE: [EXIT.usage, ': set TMPDIR to a directory with more space'],
  KEY_NEEDED: [EXIT.usage, ': give --identity FILE or --passphrase-file FILE'],
  WRONG_KEY: [EXIT.usage, ''],
  BAD_KEY: [EXIT.usage, ''],
  LOCK_LOST: [EXIT.unexpected, ''],
  PREVIOUS_CHANGED: [EXIT.unexpected, ': run again with --rehash'],
}

/** The meaning of an error of a bag or an archive for the user; `undefined` for any other error. */
export function bagFailure(error: unknown): CliError | undefined {
  if (!isBagError(error)) return undefined
  const [exitCode, advice] = BAG_ERRORS[error.code]
  const message = `${error.message}${advice}`
  // Usage errors have no code of their own.
  if (exitCode === EXIT.usage) return new UsageError(message, { cause: error })
  return new CliError(message, { exitCode, code: error.code, cause: error })
}
