/** Base class of all errors of this package. */
export abstract class CollabError extends Error {
  /** Short and stable: the service's error code, or a word in capitals such as `TIMEOUT`. */
  abstract readonly errorCode: string
}

/** Whether an error is one of this package. */
export function isCollabError(error: unknown): error is CollabError {
  return error instanceof CollabError
}
