import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { FILE_MODE } from './hashed-file.ts'

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
