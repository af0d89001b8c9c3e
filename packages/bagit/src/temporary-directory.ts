import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isLockError, type Lock, type LockOptions, takeLock } from '@collab-etl/lock'
import { BagError } from './errors.ts'
import { FOLDER_MODE } from './hashed-file.ts'

/** Hidden, and unlike any backup's name, so that it cannot be mistaken for a backup. */
const TEMPORARY_NAME = /^\.collab-export-[0-9a-f]{16}\.tmp$/

/** The lock of the process that the temporary directory belongs to. */
const OWNER_FILE = 'owner.json'

/** Attempts to create a temporary directory, as another run may take a new one for abandoned before it is locked. */
const MAX_TRIES = 10

/** A folder beside the backups in which one is made; removed when disposed of. */
export interface TemporaryDirectory extends AsyncDisposable {
  /** The folder itself. */
  readonly path: string
  /** The bag to be, an empty folder. */
  readonly bag: string
  /** Removes what is in the folder of the bag. */
  empty(): Promise<void>
  /** Throws if the temporary directory was removed or another run took it over. To be called before anything leaves it. */
  check(): void
}

/** Opens a temporary directory in an existing directory. */
export async function openTemporaryDirectory(directory: string): Promise<TemporaryDirectory> {
  for (let tries = 1; ; tries++) {
    const path = join(directory, `.collab-export-${randomBytes(8).toString('hex')}.tmp`)
    await mkdir(path, { mode: FOLDER_MODE })
    let lock: Lock
    try {
      lock = await takeLock(join(path, OWNER_FILE))
    } catch (error) {
      if (tries < MAX_TRIES && (isLockError(error, 'HELD') || isGone(error))) continue
      await removeTree(path)
      throw error
    }
    try {
      const bag = join(path, 'bag')
      await mkdir(bag, { mode: FOLDER_MODE })
      return temporaryDirectoryOf(path, bag, lock)
    } catch (error) {
      await dispose(path, lock)
      throw error
    }
  }
}

function temporaryDirectoryOf(path: string, bag: string, lock: Lock): TemporaryDirectory {
  return {
    path,
    bag,
    async empty() {
      await rm(bag, { recursive: true, force: true, maxRetries: 3 })
      await mkdir(bag, { mode: FOLDER_MODE })
    },
    check() {
      try {
        lock.check()
      } catch (error) {
        const message = `the temporary directory ${path} was removed, or another run took it over while this one was paused; run again`
        throw new BagError('LOCK_LOST', message, { cause: error })
      }
    },
    [Symbol.asyncDispose]: () => dispose(path, lock),
  }
}

/** Removes the directory if the lock is still held; otherwise it may belong to another run. */
async function dispose(path: string, lock: Lock): Promise<void> {
  try {
    lock.check()
  } catch {
    return await lock.release()
  }
  try {
    await removeTree(path)
  } finally {
    await lock.release()
  }
}

/**
 * Removes the temporary directories of runs that have ended and returns their names. Those of running ones stay; clocks do not matter.
 * A temporary directory of another host is watched for a minute first.
 */
export async function removeStaleDirectories(directory: string, options?: LockOptions): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => TEMPORARY_NAME.test(name))
  const removed = await Promise.all(names.map((name) => removeIfStale(join(directory, name), options)))
  return names.filter((_, index) => removed[index])
}

async function removeIfStale(path: string, options: LockOptions | undefined): Promise<boolean> {
  // a file or a link may have the name of a temporary directory
  if ((await lstat(path).catch(() => null))?.isDirectory() !== true) return false
  let lock: Lock
  try {
    lock = await takeLock(join(path, OWNER_FILE), options)
  } catch (error) {
    options?.signal?.throwIfAborted()
    // in use, or not removable, for example another user's
    if (isLockError(error) || isFileError(error)) return false
    throw error
  }
  try {
    await removeTree(path)
    return true
  } finally {
    await lock.release()
  }
}

/** The lock file is removed last: if this run is killed meanwhile, the next one recognises the directory. */
async function removeTree(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 }
  const entries = await readdir(path).catch(() => []) // removed or unreadable: the last line decides
  for (const name of entries.filter((entry) => entry !== OWNER_FILE)) await rm(join(path, name), options)
  await rm(path, options)
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
