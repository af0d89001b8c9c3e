import { closeSync, constants, openSync } from 'node:fs'
import { LockError } from './errors.ts'
import { tryOsLock } from './os-lock.ts'

const { O_RDWR, O_NONBLOCK = 0 } = constants

/** An operating system lock of a file. Disposing of it releases the lock. */
export type Hold = AsyncDisposable

/**
 * Takes the operating system's lock of an existing file without writing to it. Use it in addition to `takeLock` for data whose lock
 * file may be removed, or that has several names (hard links). Does nothing if the file system has no locks.
 *
 * @throws LockError `HELD` if another process holds the lock; file system errors unchanged
 */
export async function holdFile(path: string): Promise<Hold> {
  // a plain descriptor: Node closes it when a worker thread ends
  const fd = openSync(path, O_RDWR | O_NONBLOCK)
  try {
    if ((await tryOsLock(fd)) === 'held') {
      throw new LockError(
        'HELD',
        `${path} is locked by another process, which removed its lock file or uses another name for the file`,
      )
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return { [Symbol.asyncDispose]: async () => closeSync(fd) }
}
