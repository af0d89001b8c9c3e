import { mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isWarehouseError, messageOf, WarehouseError } from '../errors.ts'
import { takeLockFile } from './lock-file.ts'

/** Nobody else's to read: it holds all that the token may see. */
const OWNER_ONLY = 0o700

/** The directory of an embedded warehouse, and this process's hold on it. */
export interface DataDirectory {
  readonly path: string
  release(): Promise<void>
}

/** Makes the directory if need be, and keeps every other process out of it: `LOCKED` for these, and for a second time here. */
export async function takeDirectory(dataDir: string): Promise<DataDirectory> {
  const path = resolve(dataDir)
  try {
    await makeDirectory(path)
    const lock = await takeLockFile(join(path, 'warehouse.lock'), `the embedded warehouse in ${path}`)
    return { path, release: () => lock.release() }
  } catch (error) {
    throw directoryError(error, path)
  }
}

export function directoryError(error: unknown, directory: string): WarehouseError {
  if (isWarehouseError(error)) return error
  return new WarehouseError(
    'DATA_DIR',
    `the embedded warehouse cannot be opened in ${directory}: ${messageOf(error)}; name a directory that can be written to`,
    { cause: error },
  )
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}

/** As `mkdir` with `recursive`, which goes on for ever where the parent exists but will not take a child (`/proc`). */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: OWNER_ONLY })
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return
    if (!hasCode(error, 'ENOENT') || (await exists(dirname(path)))) throw error
    await makeDirectory(dirname(path))
    await mkdir(path, { mode: OWNER_ONLY })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
