import { closeSync, constants, createReadStream, fstatSync, openSync, read, readSync, type Stats } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
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
 * line feed ends a line.
 */
export async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const text: string = rest + chunk
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      yield text.slice(start, end + 1)
      start = end + 1
    }
    rest = text.slice(start)
  }
  if (rest !== '') yield rest
}

/** The lines of a file, read synchronously and one by one: for several files that are read in step. */
export class LineReader implements Disposable {
  readonly #file: number
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  readonly #decoder = new StringDecoder('utf8')
  #lines: string[] = []
  #at = 0
  #rest = ''

  constructor(path: string) {
    this.#file = openSync(path, 'r')
  }

  /** The next line without its line feed; `null` at the end of the file. Text after the last line feed counts as a line. */
  next(): string | null {
    while (this.#at >= this.#lines.length) {
      const bytes = readSync(this.#file, this.#buffer, 0, CHUNK_BYTES, null)
      if (bytes === 0) {
        const last = this.#rest
        this.#rest = ''
        return last === '' ? null : last
      }
      this.#lines = (this.#rest + this.#decoder.write(this.#buffer.subarray(0, bytes))).split('\n')
      this.#rest = this.#lines.pop() ?? ''
      this.#at = 0
    }
    return this.#lines[this.#at++] ?? null
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
