import { randomBytes } from 'node:crypto'
import { readSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_MODE } from '@collab-etl/bagit'
import type { StoredText, TextStore } from '@collab-etl/documents'

/** Characters of texts that are kept until they are written at once. */
const BUFFERED = 256 * 1024

/** Bytes of the buffer for reading, until a text is longer. */
const FIRST_READ = 16 * 1024

/** Keeps texts in a temporary file, which is removed when disposed of. */
export class TextFile implements TextStore {
  readonly #path: string
  readonly #file: FileHandle
  #pending: string[] = []
  #length = 0
  #bytes = 0
  /** For the bytes of a text that is read: they are decoded before another one is. */
  #read = Buffer.allocUnsafeSlow(FIRST_READ)

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  static async open(directory: string): Promise<TextFile> {
    const path = join(directory, `texts-${randomBytes(8).toString('hex')}.tmp`)
    return new TextFile(path, await open(path, 'wx+', FILE_MODE))
  }

  async add(text: string): Promise<StoredText> {
    const stored = { start: this.#bytes, bytes: Buffer.byteLength(text) }
    this.#bytes += stored.bytes
    this.#pending.push(text)
    this.#length += text.length
    if (this.#length >= BUFFERED) await this.#flush()
    return stored
  }

  async read({ start, bytes }: StoredText): Promise<string> {
    await this.#flush()
    if (this.#read.length < bytes) this.#read = Buffer.allocUnsafeSlow(bytes)
    const buffer = this.#read
    // Synchronous: the bytes are in the page cache, and a request to the thread pool would take ten times as long.
    for (let at = 0; at < bytes; ) {
      const read = readSync(this.#file.fd, buffer, at, bytes - at, start + at)
      if (read === 0) throw new Error(`the temporary file ${this.#path} ends early`)
      at += read
    }
    return buffer.toString('utf8', 0, bytes)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
    await rm(this.#path, { force: true })
  }

  async #flush(): Promise<void> {
    if (this.#pending.length === 0) return
    // A lone surrogate at the end of a text must not join one at the beginning of the next.
    const bytes = Buffer.concat(this.#pending.map((text) => Buffer.from(text)))
    this.#pending = []
    this.#length = 0
    await this.#file.appendFile(bytes)
  }
}
