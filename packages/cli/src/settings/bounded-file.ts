import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** A pipe may be written by a program that asks for a password first. */
const PIPE_DEADLINE_MS = 30_000

const PAUSE_MS = 20

export interface BoundedFileOptions {
  readonly maxBytes: number
  /** Default: 30 seconds. */
  readonly deadlineMs?: number
}

/**
 * Reads a file that a setting names: a regular file, or a pipe that is closed within the deadline, of limited size. Devices, such as
 * /dev/zero, never end.
 * @throws Error whose `code` or message says why, without any of the content
 */
export function readBoundedFile(
  path: string,
  { maxBytes, deadlineMs = PIPE_DEADLINE_MS }: BoundedFileOptions,
): { readonly text: string; readonly stats: Stats } {
  // a named pipe without a writer would block until there is one
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw failure('EISDIR')
    if (!stats.isFile() && !stats.isFIFO()) throw failure('it is neither a regular file nor a pipe')
    if (stats.size > maxBytes) throw failure(`it is larger than ${maxBytes} bytes`)
    const deadline = performance.now() + (stats.isFIFO() ? deadlineMs : 0)
    return { text: readToEnd(file, maxBytes, deadline).toString('utf8'), stats }
  } finally {
    closeSync(file)
  }
}

function readToEnd(file: number, maxBytes: number, deadline: number): Buffer {
  const buffer = Buffer.alloc(maxBytes + 1)
  let length = 0
  for (;;) {
    const read = readSome(file, buffer, length)
    length += read ?? 0
    if (length > maxBytes) throw failure(`it is larger than ${maxBytes} bytes`)
    // an empty pipe may still wait for its writer
    const isOver = read === 0 && (length > 0 || performance.now() >= deadline)
    if (isOver) return buffer.subarray(0, length)
    if (read !== null && read > 0) continue
    if (performance.now() >= deadline) throw failure('nothing was written to this pipe in time, or it was not closed')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
}

/** `null`: a pipe that has a writer, and nothing to read yet. */
function readSome(file: number, buffer: Buffer, at: number): number | null {
  try {
    return readSync(file, buffer, at, buffer.length - at, null)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null
    throw error
  }
}

/** Why a file could not be read: the system's code, or our own words. */
export function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  return 'code' in error ? String(error.code) : error.message
}

function failure(reason: string): Error {
  return new Error(reason)
}
