import { bagFailure } from '@collab-etl/backups/errors'
import { isBagError } from '@collab-etl/bagit/errors'
import { CliError, EXIT } from '@collab-etl/cli'
import { isWarehouseError, kindOf } from '@collab-etl/warehouse/errors'

/** A call that cannot be answered, for a reason that helps whoever made it. The message has no secret. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** The exit code of an error before the server has started; `undefined` for errors of neither warehouse nor backup. */
export function toCliError(error: unknown): CliError | undefined {
  if (isWarehouseError(error)) {
    const advice =
      error.code === 'NO_WAREHOUSE'
        ? '; name a warehouse with DATABASE_URL or --data-dir, or a backup with --backup'
        : ''
    return new CliError(`${error.message}${advice}`, { exitCode: EXIT[kindOf(error)], code: error.code, cause: error })
  }
  return bagFailure(error)
}

/** The message of an error for the assistant, without addresses, paths and settings; `null`: only the log says what happened. */
export function messageForAssistant(error: unknown): string | null {
  if (error instanceof ToolError || isWarehouseError(error, 'QUERY')) return error.message
  if (isWarehouseError(error, 'LOCKED')) {
    return 'the embedded warehouse is in use by another process, such as a snapshot: try again later'
  }
  if (isWarehouseError(error, 'TOO_POWERFUL')) {
    const [why = ''] = error.message.split(/[,:;] /, 1)
    return `sql is refused, because ${why}: collab-mcp must connect as a role that only reads (collab-extract init --grant-read ROLE)`
  }
  if (isWarehouseError(error)) return `the warehouse cannot be read (${error.code}); the log of collab-mcp says why`
  if (isBagError(error)) return `the backup cannot be read (${error.code}); the log of collab-mcp says why`
  return null
}
