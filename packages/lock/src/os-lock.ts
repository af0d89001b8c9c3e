import { closeSync, constants, openSync } from 'node:fs'
import { LockError } from './owner.ts'

/** Far beyond the record: locks are mandatory on Windows, and other processes must be able to read the record. */
const OFFSET = 2 ** 40

export type OsLock = 'taken' | 'held' | 'unsupported'

/** Error codes of file systems without locks. */
const UNSUPPORTED = new Set(['ENOLCK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'])

/**
 * Takes the operating system's lock of an open file: open file description locks on Linux, `flock` on macOS, `LockFileEx` on
 * Windows. The lock ends with the process and is effective in all containers of the host.
 */
export async function tryOsLock(fd: number): Promise<OsLock> {
  const library = await load()
  if (library === null) return 'unsupported'
  try {
    return library.tryLock(fd, OFFSET, 1) ? 'taken' : 'held'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (UNSUPPORTED.has(code)) return 'unsupported'
    // POSIX allows both for a range that another process has locked
    if (code === 'EACCES' || code === 'EBUSY') return 'held'
    throw error
  }
}

let loaded: Promise<typeof import('fs-native-extensions') | null> | undefined

/** Resolves to `null` on a platform without a prebuilt binary. */
function load(): Promise<typeof import('fs-native-extensions') | null> {
  loaded ??= import('fs-native-extensions').catch(() => null)
  return loaded
}

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
