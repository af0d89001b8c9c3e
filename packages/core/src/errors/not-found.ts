import { ALL_OPERATIONS } from '@collab-etl/contract'
import { ApiError } from './api-error.ts'

// Not in api-error.ts: every command needs that, and loading all operations takes as long as the rest of a program's start.

const NOT_FOUND = 404

/** Each operation with its codes for "does not exist". */
const NOT_FOUND_ERRORS: ReadonlySet<string> = new Set(
  ALL_OPERATIONS.flatMap(({ id, errors }) =>
    errors.filter(({ status }) => status === NOT_FOUND).map(({ code }) => `${id} ${code}`),
  ),
)

/**
 * The service answered that something does not exist: HTTP 404 with the code that the operation documents for it. A code that
 * contradicts its status proves nothing.
 */
export function isNotFound(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.status === NOT_FOUND && NOT_FOUND_ERRORS.has(`${error.operation} ${error.code}`)
  )
}
