import { closeSync, constants, createReadStream, fstatSync, openSync, read, readSync, type Stats } from 'node:fs'
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

const LINE_FEED = 10

/** The lines of a file, read synchronously: for several files that are read in step. */
export class LineReader implements Disposable {
  readonly #file: number
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  /** Whole lines, except for the last text of the file. Those before `#at` were taken. */
  #text = ''
  #at = 0
  /** The bytes read of the line after them. */
  #rest: Buffer = Buffer.alloc(0)

  constructor(path: string) {
    this.#file = openSync(path, 'r')
  }

  /** The next line without its line feed; `null` at the end of the file. Text after the last line feed counts as a line. */
  next(): string | null {
    const line = this.take(1)
    if (line !== null) return line.slice(0, -1)
    const last = this.#text.slice(this.#at)
    this.#at = this.#text.length
    return last === '' ? null : last
  }

  /** The next `count` lines with their line feeds; `null` if the file does not have as many. */
  take(count: number): string | null {
    const pieces: string[] = []
    let lines = 0
    do {
      const start = this.#at
      while (lines < count) {
        const end = this.#text.indexOf('\n', this.#at) + 1
        if (end === 0) break
        this.#at = end
        lines += 1
      }
      pieces.push(this.#text.slice(start, lines === count ? this.#at : undefined))
      if (lines === count) return pieces.join('')
    } while (this.#read())
    this.#text = pieces.join('')
    this.#at = 0
    return null
  }

  /** Replaces the text by the lines that follow. Returns whether there were any. */
  #read(): boolean {
    const pieces = [this.#rest]
    for (;;) {
      const chunk = this.#buffer.subarray(0, readSync(this.#file, this.#buffer, 0, CHUNK_BYTES, null))
      const end = chunk.length === 0 ? 0 : chunk.lastIndexOf(LINE_FEED) + 1
      if (chunk.length > 0 && end === 0) {
        pieces.push(Buffer.from(chunk))
        continue
      }
      this.#rest = Buffer.from(chunk.subarray(end))
      // Whole lines cut no character: a `StringDecoder`, which keeps the bytes of cut ones, takes several times as long.
      const text = Buffer.concat([...pieces, chunk.subarray(0, end)]).toString()
      if (text === '') return false
      this.#text = text
      this.#at = 0
      return true
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
