import { type Stats, statfsSync, statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isWarehouseError, messageOf, WarehouseError } from '../errors.ts'
import { driverError } from './postgres-error.ts'

const DISK_FULL = '53100'

/** Postgres could not start the embedded database; the message is its own. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Two files of the write-ahead log. */
const RESERVE_BYTES = 32 * 2 ** 20

/**
 * Refuses a statement while the disk is nearly full: if the embedded Postgres cannot add a file to its write-ahead log, it retries for ever,
 * and blocks the process. A single statement that writes more than the reserve can still do so.
 * @throws WarehouseError `DISK_FULL`
 */
export function requireFreeSpace(directory: string): void {
  const { bavail, bsize } = statfsSync(directory)
  if (bavail * bsize < RESERVE_BYTES) throw new WarehouseError('DISK_FULL', fullMessage(directory))
}

/** More than one file of the write-ahead log, the largest piece that Postgres allocates. */
const PROBE_BYTES = 17 * 2 ** 20

/** What a statement, or the database itself, threw while it was in use. */
export async function embeddedError(error: unknown, directory: string): Promise<Error> {
  if (isWarehouseError(error)) return error
  if (codeOf(error) !== '' && codeOf(error) !== DISK_FULL) return driverError(error, directory)
  if (await isDiskFull(error, directory))
    return new WarehouseError('DISK_FULL', fullMessage(directory), { cause: error })
  // thrown by WebAssembly when Postgres ends itself
  if (error instanceof Error && error.name === 'RuntimeError') {
    const message = `the embedded database in ${directory} stopped: ${error.message}; run again to repair what it left unfinished`
    return new WarehouseError('QUERY', message, { cause: error })
  }
  return driverError(error, directory)
}

/** What opening the database in `directory` threw. `isNew`: it was being made. */
export async function openingError(error: unknown, directory: string, isNew: boolean): Promise<Error> {
  if (isWarehouseError(error)) return error
  if (await isDiskFull(error, directory))
    return new WarehouseError('DATA_DIR', fullMessage(directory), { cause: error })
  // an error of the file system names its cause itself
  if (isNew || isDenied(error) || (error instanceof Error && 'syscall' in error))
    return directoryError(error, directory)
  const why = messageOf(error)
  // only Postgres can tell, and it also stops where files are whole
  const isDamaged = error instanceof StartError && !/: (?:Too many open files|Input\/output error)|memory/i.test(why)
  const place = `the embedded warehouse in ${directory}`
  return new WarehouseError(
    'DATA_DIR',
    isDamaged
      ? `${place} cannot be opened: its database files are damaged (${why}); ` +
          'put back a copy of the directory, or move it away and take a new snapshot'
      : `${place} cannot be opened: ${why}; run again`,
    { cause: error },
  )
}

/** What the file system threw before the database was opened. */
export function directoryError(error: unknown, directory: string): WarehouseError {
  if (isWarehouseError(error)) return error
  const isFull = isFullCode(codeOf(error))
  const remedy = isDenied(error) ? ownerRemedy(directory) : 'choose a writable directory with --data-dir'
  return new WarehouseError(
    'DATA_DIR',
    isFull
      ? fullMessage(directory)
      : `the embedded warehouse cannot be opened in ${directory}: ${messageOf(error)}; ${remedy}`,
    { cause: error },
  )
}

/** Whether this process may not use a file: an error of the file system, or what Postgres says of one. */
function isDenied(error: unknown): boolean {
  if (['EACCES', 'EPERM'].includes(codeOf(error))) return true
  return error instanceof StartError && /: (?:Permission denied|Operation not permitted)$/.test(error.message)
}

/** What to do where this process may not use a file of the directory. */
function ownerRemedy(directory: string): string {
  const owner = ownerOf(join(directory, 'warehouse', 'PG_VERSION')) ?? ownerOf(directory)
  if (owner === undefined) return 'run as the user to whom it belongs, or choose another directory with --data-dir'
  const { uid, gid } = owner
  if (uid !== process.geteuid?.()) return `it belongs to the user with id ${uid}: run as that user`
  return `give its files back to their owner: chown -R ${uid}:${gid} ${directory} && chmod -R u+rwX ${directory}`
}

function ownerOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // not even its owner may be seen
  }
}

function fullMessage(directory: string): string {
  return `the disk of the embedded warehouse in ${directory} is full; free some space and run again, or name another --data-dir`
}

/** Postgres does not always report it: for an error without a cause, a test file is written. */
async function isDiskFull(error: unknown, directory: string): Promise<boolean> {
  const code = codeOf(error)
  if (code !== '') return code === DISK_FULL || isFullCode(code)
  const probe = join(directory, 'warehouse.probe')
  try {
    await using file = await open(probe, 'w')
    const piece = Buffer.alloc(2 ** 20)
    for (let written = 0; written < PROBE_BYTES; written += piece.length) await file.writeFile(piece)
    await file.datasync()
    return false
  } catch (failure) {
    return isFullCode(codeOf(failure))
  } finally {
    await rm(probe, { force: true }).catch(() => {})
  }
}

function isFullCode(code: string): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
