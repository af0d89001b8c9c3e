/** What all errors of this package have in common. */
export abstract class CollabError extends Error {
  /** Short and stable: the service's error code, or a word in capitals. */
  abstract readonly errorCode: string
}

/** Tells an error of this package from any other. */
export function isCollabError(error: unknown): error is CollabError {
  return error instanceof CollabError
}
