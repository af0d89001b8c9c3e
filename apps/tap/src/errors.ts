import { CliError, EXIT, type ExitCode } from '@collab-etl/cli'
import { isWarehouseError, type WarehouseErrorCode } from '@collab-etl/warehouse/errors'

/** Errors of the warehouse that settings can mend; the others are unexpected failures. */
const SETTINGS_AT_FAULT: ReadonlySet<WarehouseErrorCode> = new Set([
  'SCHEMA_NEWER',
  'NO_WAREHOUSE',
  'NO_SCHEMA',
  'UNSUITABLE',
  'BAD_URL',
  'BAD_SCHEMA_NAME',
  'DATA_DIR',
])

/** The exit code of an error of the warehouse; `undefined` for other errors. */
export function toCliError(error: unknown): CliError | undefined {
  if (!isWarehouseError(error)) return undefined
  const exitCode: ExitCode =
    error.code === 'LOCKED' ? EXIT.locked : SETTINGS_AT_FAULT.has(error.code) ? EXIT.usage : EXIT.unexpected
  const advice =
    error.code === 'NO_WAREHOUSE' ? '; name a warehouse in the config file, as database_url or data_dir' : ''
  return new CliError(`${error.message}${advice}`, { exitCode, code: error.code, cause: error })
}
