import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'

/** Mode of files: owner only, as what is backed up may be private. */
export const FILE_MODE = 0o600
/** Mode of directories: owner only. */
export const FOLDER_MODE = 0o700

/** Small pieces are gathered until a write of this many UTF-16 units is worth its call. */
const GATHERED = 65_536

/** What was written. */
export interface Written {
  readonly bytes: number
  readonly sha256: string
}

/** A new file that is written piece by piece and hashed on the way. */
export class HashedFile {
  readonly #handle: FileHandle
  readonly #hash = createHash('sha256')
  #pending: string[] = []
  #pendingLength = 0
  #bytes = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async create(path: string): Promise<HashedFile> {
    return new HashedFile(await open(path, 'wx', FILE_MODE))
  }

  async write(text: string): Promise<void> {
    this.#pending.push(text)
    this.#pendingLength += text.length
    if (this.#pendingLength >= GATHERED) await this.#flush()
  }

  /** Adds bytes of another file. The caller may reuse the buffer once this resolves. */
  async append(bytes: Buffer): Promise<void> {
    await this.#flush()
    await this.#put(bytes)
  }

  async end(): Promise<Written> {
    try {
      await this.#flush()
    } finally {
      await this.#handle.close()
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  /** Closes the file after a failure; it is of no further use. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => {}) // the original failure is the one to report
  }

  async #flush(): Promise<void> {
    if (this.#pendingLength === 0) return
    const bytes = Buffer.from(this.#pending.join(''))
    this.#pending = []
    this.#pendingLength = 0
    await this.#put(bytes)
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    await this.#handle.writeFile(bytes)
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
      return
    }
    const begun = performance.now()
    writeFileSync(path, bytes, options)
    this.#meanWrite += WEIGHT * (performance.now() - begun - this.#meanWrite)
  }
}
