import { bagFailure } from '@collab-etl/backups/errors'
import { CliError, EXIT, type ExitCode } from '@collab-etl/cli'
import {
  type CollabError,
  isAuthError,
  isCollabError,
  isSignInError,
  isTransportError,
  type SignInErrorKind,
} from '@collab-etl/core/errors'
import { isLockError } from '@collab-etl/lock'
import { isWarehouseError, kindOf } from '@collab-etl/warehouse/errors'

/** Exit codes of a token that could not be had. An address that gives none now is an unreachable service. */
const SIGN_IN_EXITS: Readonly<Record<SignInErrorKind, ExitCode>> = {
  unusable: EXIT.usage,
  refused: EXIT.unauthorised,
  unreachable: EXIT.unexpected,
}

/** What to do where a command needs a warehouse that does not exist. */
const NO_WAREHOUSE_ADVICE = 'run collab-extract snapshot, or set DATABASE_URL'

/** The one place that knows which exit code an error of core or the warehouse has; `undefined` for any other error. */
export function toCliError(error: unknown): CliError | undefined {
  if (isSignInError(error)) {
    return new CliError(error.message, { exitCode: SIGN_IN_EXITS[error.kind], code: error.errorCode, cause: error })
  }
  if (isAuthError(error)) {
    const message = `${error.message} Run collab-extract check: it tries the token in the header and in the query string.`
    return new CliError(message, { exitCode: EXIT.unauthorised, code: 'UNAUTHORISED', cause: error })
  }
  if (isWarehouseError(error)) {
    const exitCode = EXIT[kindOf(error)]
    const advice = isWarehouseError(error, 'NO_WAREHOUSE') ? `; ${NO_WAREHOUSE_ADVICE}` : ''
    return new CliError(`${error.message}${advice}`, { exitCode, code: error.code, cause: error })
  }
  if (isLockError(error, 'HELD')) {
    return new CliError(error.message, { exitCode: EXIT.locked, code: 'LOCKED', cause: error })
  }
  if (isCollabError(error)) {
    return new CliError(`${error.message}${adviceOn(error)}`, { code: error.errorCode, cause: error })
  }
  return bagFailure(error)
}

/** What to do about a service that cannot be talked to, in terms of our flags. */
function adviceOn(error: CollabError): string {
  if (isTransportError(error, 'connect')) return ' --base-url or COLLAB_BASE_URL sets the address.'
  if (isTransportError(error, 'tls'))
    return ' Certificates are always verified; an authority of your own is trusted with --ca FILE.'
  return ''
}
