import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  read,
  readFileSync,
  readSync,
  type Stats,
} from 'node:fs'
import { promisify } from 'node:util'

/** Bytes per read; large enough that the disk is the limit. */
export const CHUNK_BYTES = 256 * 1024

/** Larger files are read in turns with everything else; for smaller ones, that would take eight times as long as reading them. */
export const LARGE_FILE_BYTES = 1 << 20

/** A link must not be followed to bytes outside the bag, and a pipe must not be waited for. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const readAsync = promisify(read)

/** A file that is open for reading. Close it with `closeSync`. */
export interface PlainFile {
  readonly file: number
  readonly stats: Stats
}

/**
 * Opens a plain file; `null` for a link, a directory or anything else.
 * @throws file system errors, such as ENOENT
 */
export function openPlainFile(path: string): PlainFile | null {
  let file: number
  try {
    file = openSync(path, READ_FLAGS)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP') return null
    throw error
  }
  try {
    const stats = fstatSync(file)
    if (stats.isFile()) return { file, stats }
  } catch (error) {
    closeSync(file)
    throw error
  }
  closeSync(file)
  return null
}

/** Code of the error for a link, a pipe, a directory or a device in the place of a file. */
export const NOT_A_FILE = 'NOT_A_FILE'

/**
 * Opens a plain file for reading. Close it with `closeSync`.
 * @throws Error `NOT_A_FILE` for a link, a pipe, or anything else; file system errors
 */
export function openForReading(path: string): number {
  const opened = openPlainFile(path)
  if (opened !== null) return opened.file
  throw Object.assign(new Error(`${path} is not a plain file`), { code: NOT_A_FILE })
}

/** The bytes of a small file, such as a tag file. @throws as `openForReading` */
export async function readSmallFile(path: string): Promise<Buffer> {
  const file = openForReading(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** The rest of an open file, each chunk in a buffer of its own, as the one before may still be in use. */
export async function* chunksOf(file: number): AsyncGenerator<Buffer, void, undefined> {
  for (;;) {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    const { bytesRead } = await readAsync(file, buffer, 0, CHUNK_BYTES, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Fills the buffer, unless the file ends first. Returns the number of bytes read. */
export async function readFull(file: number, buffer: Buffer): Promise<number> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await readAsync(file, buffer, filled, buffer.length - filled, null)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/**
 * The lines of a file, each with its line feed, except for the last one if the file does not end in one. Only a
 * line feed ends a line. Each line is decoded by itself: one of ASCII takes a byte per character, and is parsed faster.
 */
export async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  let begun: Buffer[] = []
  const chunks = createReadStream(path, { fd: openForReading(path), highWaterMark: 256 * 1024 })
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED) + 1; end !== 0; end = chunk.indexOf(LINE_FEED, start) + 1) {
      if (begun.length === 0) yield chunk.toString('utf8', start, end)
      else yield Buffer.concat([...begun, chunk.subarray(0, end)]).toString()
      begun = []
      start = end
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
  }
  if (begun.length > 0) yield Buffer.concat(begun).toString()
}

/** The byte that ends a line. */
export const LINE_FEED = 10

/** The lines of a file as bytes, read synchronously: for several files that are read in step. */
export class LineReader implements Disposable {
  readonly #file: number
  /** The same buffer each time: V8 would free others only when it collects garbage. */
  #buffer: Buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  /** The bytes read, at its beginning. Those before `#at` were taken. */
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(path: string) {
    this.#file = openForReading(path)
  }

  /** The next line without its line feed; `null` at the end of the file. Text after the last line feed counts as a line. */
  next(): string | null {
    const line = this.take(1)
    if (line !== null) return line.toString('utf8', 0, line.length - 1)
    const last = this.#bytes.toString('utf8', this.#at)
    this.#at = this.#bytes.length
    return last === '' ? null : last
  }

  /** The next `count` lines with their line feeds; `null` if the file does not have as many. The bytes are valid until the next call. */
  take(count: number): Buffer | null {
    let end = this.#at
    for (let lines = 0; lines < count; ) {
      const next = this.#bytes.indexOf(LINE_FEED, end) + 1
      if (next > 0) {
        end = next
        lines += 1
        continue
      }
      const searched = this.#bytes.length - this.#at
      if (!this.#read()) return null
      end = searched
    }
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** Reads more after the bytes that are not taken. Returns whether there were any. */
  #read(): boolean {
    const rest = this.#bytes.subarray(this.#at)
    if (rest.length === this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * rest.length)
    this.#buffer.set(rest)
    const read = readSync(this.#file, this.#buffer, rest.length, this.#buffer.length - rest.length, null)
    this.#bytes = this.#buffer.subarray(0, rest.length + read)
    this.#at = 0
    return read > 0
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
