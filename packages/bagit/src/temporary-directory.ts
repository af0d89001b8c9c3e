import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLockError, isMissing, keepOwner, type Lock, type LockOptions, takeLock } from '@collab-etl/lock'
import { BagError } from './errors.ts'
import { FOLDER_MODE } from './hashed-file.ts'

/** Hidden, and unlike any backup's name, so that it cannot be mistaken for a backup. */
const TEMPORARY_NAME = /^\.collab-export-[0-9a-f]{16}\.tmp$/

/** The lock of the process that the temporary directory belongs to. */
const OWNER_FILE = 'owner.json'

/** Attempts to create a temporary directory, as another run may take a new one for abandoned before it is locked. */
const MAX_TRIES = 10

/** Called with a temporary directory that could not be removed, and why. The next run tries again. */
export type OnLeft = (path: string, reason: string) => void

/** A folder beside the backups in which one is made; removed when disposed of, which never throws. */
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
export async function openTemporaryDirectory(
  directory: string,
  onLeft: OnLeft = () => {},
): Promise<TemporaryDirectory> {
  for (let tries = 1; ; tries++) {
    const path = join(directory, `.collab-export-${randomBytes(8).toString('hex')}.tmp`)
    await makeFolder(path)
    let lock: Lock
    try {
      lock = await takeLock(join(path, OWNER_FILE))
    } catch (error) {
      if (tries < MAX_TRIES && (isLockError(error, 'HELD') || isMissing(error))) continue
      await rm(path, REMOVAL).catch(() => {}) // report the original error
      throw error
    }
    try {
      const bag = join(path, 'bag')
      await makeFolder(bag)
      return temporaryDirectoryOf(path, bag, lock, onLeft)
    } catch (error) {
      await dispose(path, lock, onLeft)
      throw error
    }
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: FOLDER_MODE })
  keepOwner(path)
}

function temporaryDirectoryOf(path: string, bag: string, lock: Lock, onLeft: OnLeft): TemporaryDirectory {
  return {
    path,
    bag,
    async empty() {
      await rm(bag, REMOVAL)
      await makeFolder(bag)
    },
    check() {
      try {
        lock.check()
      } catch (error) {
        const message = `the temporary directory ${path} was removed, or another run took it over while this one was paused; run again`
        throw new BagError('LOCK_LOST', message, { cause: error })
      }
    },
    [Symbol.asyncDispose]: () => dispose(path, lock, onLeft),
  }
}

/** Removes the directory if the lock is still held; otherwise it may belong to another run. */
async function dispose(path: string, lock: Lock, onLeft: OnLeft): Promise<void> {
  try {
    lock.check()
  } catch {
    return await lock.release()
  }
  await removeLocked(path, lock, onLeft)
}

/**
 * Removes the temporary directories of runs that have ended and returns their names. Those of running ones stay; clocks do not matter.
 * A temporary directory of another host is watched for a minute first. What cannot be removed is left for the next run.
 */
export async function removeStaleDirectories(
  directory: string,
  options: LockOptions & { readonly onLeft?: OnLeft } = {},
): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => TEMPORARY_NAME.test(name))
  const removed = await Promise.all(names.map((name) => removeIfStale(join(directory, name), options)))
  return names.filter((_, index) => removed[index])
}

async function removeIfStale(
  path: string,
  { onLeft = () => {}, ...options }: LockOptions & { readonly onLeft?: OnLeft },
): Promise<boolean> {
  // a file or a link may have the name of a temporary directory
  if ((await lstat(path).catch(() => null))?.isDirectory() !== true) return false
  let lock: Lock
  try {
    lock = await takeLock(join(path, OWNER_FILE), options)
  } catch (error) {
    options.signal?.throwIfAborted()
    // in use, or not removable, for example another user's
    if (isLockError(error) || isFileError(error)) return false
    throw error
  }
  return await removeLocked(path, lock, onLeft)
}

const REMOVAL = { recursive: true, force: true, maxRetries: 3 } as const

/**
 * Removes a directory whose lock this process holds. The lock file goes last: if this run is killed meanwhile, the next one recognises the
 * directory. It is closed before the directory goes: NFS and FUSE keep a removed file under another name while it is open.
 * @returns whether all of it was removed
 */
async function removeLocked(path: string, lock: Lock, onLeft: OnLeft): Promise<boolean> {
  try {
    try {
      const names = (await readdir(path)).filter((name) => name !== OWNER_FILE)
      for (const name of names) await rm(join(path, name), REMOVAL)
    } finally {
      await lock.release()
    }
    await removeEmpty(path)
    return true
  } catch (error) {
    if (isMissing(error)) return true
    onLeft(path, error instanceof Error ? error.message : String(error))
    return false
  }
}

/** Attempts to remove an empty directory: FUSE removes a closed file with a delay. */
const MAX_REMOVALS = 5

async function removeEmpty(path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rmdir(path)
    } catch (error) {
      if (tries === MAX_REMOVALS || isMissing(error)) throw error
      await sleep(tries * 50)
    }
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
