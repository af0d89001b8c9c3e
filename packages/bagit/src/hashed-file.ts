import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { keepOwner } from '@collab-etl/lock'

/** Mode of files: owner only, as what is backed up may be private. */
export const FILE_MODE = 0o600
/** Mode of directories: owner only. */
export const FOLDER_MODE = 0o700

/** Small pieces are gathered until a write of this many bytes is worth its call. */
const GATHERED_BYTES = 64 * 1024

/** What was written. */
export interface Written {
  readonly bytes: number
  readonly sha256: string
}

/** A new file that is written piece by piece and hashed on the way. */
export class HashedFile {
  readonly #handle: FileHandle
  readonly #hash = createHash('sha256')
  /** Pieces that are not written yet: its first `#filled` bytes. */
  #gathered: Buffer = Buffer.alloc(0)
  #filled = 0
  /** A buffer that is not in use, for further pieces. */
  #spare: Buffer | null = null
  #bytes = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async create(path: string): Promise<HashedFile> {
    const handle = await open(path, 'wx', FILE_MODE)
    keepOwner(path)
    return new HashedFile(handle)
  }

  /** Adds text as UTF-8, or bytes, which the caller may use again when this resolves. */
  async write(piece: string | Uint8Array): Promise<void> {
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
    if (this.#filled + length <= this.#gathered.length) {
      this.#gather(piece, length)
      return
    }
    const gathered = this.#gathered
    const full = gathered.subarray(0, this.#filled)
    this.#filled = 0
    if (typeof piece !== 'string' && length >= GATHERED_BYTES) {
      // Written as it is: a further buffer for each such piece would be garbage.
      this.#gathered = this.#spare ?? Buffer.alloc(0)
      this.#spare = null
      await this.#put(full, piece)
    } else {
      const spare = this.#spare !== null && this.#spare.length >= length ? this.#spare : null
      this.#gathered = spare ?? Buffer.allocUnsafeSlow(Math.max(GATHERED_BYTES, length))
      this.#spare = null
      this.#gather(piece, length)
      await this.#put(full)
    }
    if (gathered.length === GATHERED_BYTES) this.#spare = gathered
  }

  #gather(piece: string | Uint8Array, length: number): void {
    if (typeof piece === 'string') this.#gathered.write(piece, this.#filled)
    else this.#gathered.set(piece, this.#filled)
    this.#filled += length
  }

  /** Writes all pieces so far, so that others can read them. */
  async flush(): Promise<void> {
    const gathered = this.#gathered.subarray(0, this.#filled)
    this.#gathered = Buffer.alloc(0)
    this.#filled = 0
    await this.#put(gathered)
  }

  async end(): Promise<Written> {
    try {
      await this.#put(this.#gathered.subarray(0, this.#filled))
    } finally {
      await this.#handle.close()
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  /** Closes the file after a failure; it is of no further use. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => {}) // the original failure is the one to report
  }

  async #put(...pieces: readonly Uint8Array[]): Promise<void> {
    const written = pieces.filter(({ length }) => length > 0)
    for (const piece of written) {
      this.#hash.update(piece)
      this.#bytes += piece.length
    }
    const [only] = written
    if (only !== undefined) await this.#handle.writeFile(written.length === 1 ? only : written)
  }
}

/** Larger files are written asynchronously: they would block everything else. */
const LARGE_BYTES = 256 * 1024

/**
 * Milliseconds. A small file is written to the cache of a local disk in 0.05 ms, and handing it to another thread costs three times
 * as much. A network file system takes several milliseconds, so that several files are written at once.
 */
const SLOW_WRITE = 0.5

/** Weight of the last write in the mean, so that a single slow write does not count as a slow disk. */
const WEIGHT = 0.05

/** Writes new files synchronously or asynchronously, whichever is faster on their file system. */
export class NewFiles {
  readonly #slowWrite: number
  #meanWrite = 0

  /** `slowWrite`: milliseconds per write above which files are written asynchronously. */
  constructor(slowWrite = SLOW_WRITE) {
    this.#slowWrite = slowWrite
  }

  /** Fails if the file exists. */
  async write(path: string, bytes: Buffer): Promise<void> {
    const options = { flag: 'wx', mode: FILE_MODE } as const
    if (bytes.length > LARGE_BYTES || this.#meanWrite > this.#slowWrite) {
      await writeFile(path, bytes, options)
      keepOwner(path)
      return
    }
    const begun = performance.now()
    writeFileSync(path, bytes, options)
    keepOwner(path)
    this.#meanWrite += WEIGHT * (performance.now() - begun - this.#meanWrite)
  }
}
