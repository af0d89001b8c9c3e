import { stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import {
  describeOwner,
  ifExists,
  isLockError,
  type Lock,
  type LockError,
  makeDirectory,
  takeLock,
} from '@collab-etl/lock'
import { WarehouseError } from '../errors.ts'
import { directoryError } from './embedded-error.ts'

/** Readable by its owner alone: it holds all that the token may see. */
const OWNER_ONLY = 0o700

/** The directory of an embedded warehouse, and this process's hold on it. */
export interface DataDirectory {
  readonly path: string
  /** Throws `LOCK_LOST` when another process may be in the directory by now. */
  check(): void
  release(): Promise<void>
}

/** The file that an embedded database in `dataDir` has once it is complete. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'warehouse', 'PG_VERSION')
}

/** @throws WarehouseError `NO_WAREHOUSE` if `dataDir` has no embedded warehouse */
export async function requireDatabase(dataDir: string): Promise<void> {
  if (await hasDatabase(resolve(dataDir))) return
  const below = relative('', dataDir)
  const shown = below === '' || below.startsWith('..') ? resolve(dataDir) : `./${below}`
  throw new WarehouseError('NO_WAREHOUSE', `no warehouse here (looked in ${shown})`)
}

/** Makes the directory unless it exists, and locks it for this process: other processes, and a second call here, get `LOCKED`. */
export async function takeDirectory(dataDir: string): Promise<DataDirectory> {
  const path = resolve(dataDir)
  try {
    makeDirectory(path, OWNER_ONLY)
    const lock = await takeLock(join(path, 'warehouse.lock'))
    return { path, check: () => checkLock(lock, path), release: () => lock.release() }
  } catch (error) {
    throw isLockError(error, 'HELD') ? await lockedBy(error, path) : directoryError(error, path)
  }
}

export async function lockedBy({ owner }: LockError, directory: string): Promise<WarehouseError> {
  return new WarehouseError(
    'LOCKED',
    `the embedded warehouse in ${directory} is in use by ${await describeOwner(owner)}; wait until it has ended (one process at a time can use it)`,
  )
}

function checkLock(lock: Lock, directory: string): void {
  try {
    lock.check()
  } catch (error) {
    throw new WarehouseError(
      'LOCK_LOST',
      `the embedded warehouse in ${directory} is no longer locked by this process: its lock file was removed or taken over; run again`,
      { cause: error },
    )
  }
}

/** @throws WarehouseError `DATA_DIR` if this process may not look */
export async function hasDatabase(directory: string): Promise<boolean> {
  try {
    return (await ifExists(stat(databaseFile(directory)))) !== null
  } catch (error) {
    throw directoryError(error, directory)
  }
}
