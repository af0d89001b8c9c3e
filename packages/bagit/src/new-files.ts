import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { FILE_MODE } from './hashed-file.ts'

/** Larger ones would keep everything else waiting. */
const LARGE_BYTES = 256 * 1024

/**
 * Milliseconds. A local disk's cache takes a small file in a twentieth of one, and to have another thread do it costs
 * three times as much; a network's takes several, of which it is worth to wait for eight at once.
 */
const SLOW_WRITE = 0.5

/** How much the last write counts in the mean: one hiccup does not make a disk slow. */
const WEIGHT = 0.05

/** Writes whole new files, in the way that is quicker where they go. */
export class NewFiles {
  readonly #slowWrite: number
  #meanWrite = 0

  /** `slowWrite`: milliseconds from which on waiting for a write is a waste. */
  constructor(slowWrite = SLOW_WRITE) {
    this.#slowWrite = slowWrite
  }

  /** Fails if there is such a file. */
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
