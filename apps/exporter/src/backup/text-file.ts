import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { FILE_MODE } from '@collab-etl/bagit'
import type { StoredText, TextStore } from '@collab-etl/documents'

/** Bytes of texts that gather before they are written. They are not kept as strings, which V8 would move to its old generation. */
const BUFFERED = 256 * 1024

/** Bytes of the buffer for reading, until a text is longer. */
const FIRST_READ = 16 * 1024

/** Keeps texts in a temporary file, which is made for the first one, and removed when disposed of. */
export class TextFile implements TextStore, Disposable {
  readonly #path: string
  #file: number | null = null
  #pending = Buffer.alloc(0)
  #used = 0
  #bytes = 0
  /** For the bytes of a text. They are decoded before the next one is read. */
  #read = Buffer.alloc(0)

  constructor(directory: string) {
    this.#path = join(directory, `texts-${randomBytes(8).toString('hex')}.tmp`)
  }

  async add(text: string): Promise<StoredText> {
    if (this.#pending.length === 0) this.#pending = Buffer.allocUnsafeSlow(BUFFERED)
    const stored = { start: this.#bytes, bytes: Buffer.byteLength(text) }
    this.#bytes += stored.bytes
    if (this.#used + stored.bytes > BUFFERED) this.#flush()
    if (stored.bytes > BUFFERED) this.#append(Buffer.from(text))
    else this.#used += this.#pending.write(text, this.#used)
    return stored
  }

  async read({ start, bytes }: StoredText): Promise<string> {
    this.#flush()
    if (this.#read.length < bytes) this.#read = Buffer.allocUnsafeSlow(Math.max(bytes, FIRST_READ))
    const buffer = this.#read
    // Synchronous: the bytes are in the page cache, and a request to the thread pool would take ten times as long.
    for (let at = 0; at < bytes; ) {
      const read = readSync(this.#opened(), buffer, at, bytes - at, start + at)
      if (read === 0) throw new Error(`the temporary file ${this.#path} ends early`)
      at += read
    }
    return buffer.toString('utf8', 0, bytes)
  }

  [Symbol.dispose](): void {
    if (this.#file === null) return
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }

  #opened(): number {
    this.#file ??= openSync(this.#path, 'wx+', FILE_MODE)
    return this.#file
  }

  #flush(): void {
    this.#append(this.#pending.subarray(0, this.#used))
    this.#used = 0
  }

  /** Synchronous, as reading is, and so that the buffer can be used again at once. */
  #append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#opened(), bytes, at)
  }
}
