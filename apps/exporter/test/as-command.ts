import { toCliError } from '../src/errors.ts'

/** Runs a part of a command; errors are those that the command reports. */
export async function asCommand<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw toCliError(error) ?? error
  }
}
