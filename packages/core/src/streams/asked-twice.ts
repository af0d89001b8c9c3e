import { isNotFound } from '../errors/not-found.ts'

/** Asks a second time if the service answers that something does not exist: one stray answer proves no deletion. */
export async function askedTwice<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isNotFound(error)) throw error
    return await ask()
  }
}
