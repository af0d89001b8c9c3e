import { CliError, EXIT, type ExitCode } from '@collab-etl/cli'
import { isAuthError, isCollabError, isTransportError } from '@collab-etl/core'
import { isWarehouseError, type WarehouseErrorCode } from '@collab-etl/warehouse'

/** What a warehouse's error means for whoever called; those not named are unexpected failures. */
const WAREHOUSE_EXITS: Partial<Record<WarehouseErrorCode, ExitCode>> = {
  LOCKED: EXIT.locked,
  SCHEMA_NEWER: EXIT.usage,
  NO_SCHEMA: EXIT.usage,
  NO_ROLE: EXIT.usage,
  BAD_URL: EXIT.usage,
  BAD_SCHEMA_NAME: EXIT.usage,
  DATA_DIR: EXIT.usage,
}

/** The one place that knows which exit code an error of core or the warehouse has; `undefined` for any other error. */
export function toCliError(error: unknown): CliError | undefined {
  if (isAuthError(error)) {
    return new CliError(error.message, { exitCode: EXIT.unauthorised, code: 'UNAUTHORISED', cause: error })
  }
  if (isWarehouseError(error)) {
    const exitCode = WAREHOUSE_EXITS[error.code] ?? EXIT.unexpected
    return new CliError(error.message, { exitCode, code: error.code, cause: error })
  }
  if (isCollabError(error)) {
    const advice = isTransportError(error, 'connect') ? '. Is --base-url right, and the service up?' : ''
    return new CliError(`${error.message}${advice}`, { code: error.errorCode, cause: error })
  }
  return undefined
}
