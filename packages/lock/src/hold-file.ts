import { closeSync, constants, openSync } from 'node:fs'
import { LockError } from './errors.ts'
import { tryOsLock } from './os-lock.ts'

const { O_RDWR, O_NONBLOCK = 0 } = constants

/** A file that this process keeps for itself; disposing of it lets it go. */
export type Hold = AsyncDisposable

/**
 * Takes the operating system's lock of an existing file without writing to it, or throws `HELD`. A second safeguard for data
 * whose lock file may be removed, or that can be reached by another name (hard links). Does nothing where locks are not supported.
 */
export async function holdFile(path: string): Promise<Hold> {
  // a plain descriptor: of a thread that is ended, Node closes those by itself
  const fd = openSync(path, O_RDWR | O_NONBLOCK)
  try {
    if ((await tryOsLock(fd)) === 'held') {
      throw new LockError(
        'HELD',
        `${path} is locked by another process, whose lock file was removed or has another name`,
      )
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return { [Symbol.asyncDispose]: async () => closeSync(fd) }
}
