import { randomBytes } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_MODE } from '@collab-etl/bagit'
import type { StoredText, TextStore } from '@collab-etl/documents'

/** Bytes of texts that gather before they are written. They are not kept as strings, which V8 would move to its old generation. */
const BUFFERED = 256 * 1024

/** Bytes of the buffer for reading, until a text is longer. */
const FIRST_READ = 16 * 1024

/** Keeps texts in a temporary file, which is removed when disposed of. */
export class TextFile implements TextStore, AsyncDisposable {
  readonly #path: string
  readonly #file: FileHandle
  readonly #pending = Buffer.allocUnsafeSlow(BUFFERED)
  #used = 0
  #bytes = 0
  /** For the bytes of a text. They are decoded before the next one is read. */
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
    if (this.#used + stored.bytes > BUFFERED) this.#flush()
    if (stored.bytes > BUFFERED) this.#append(Buffer.from(text))
    else this.#used += this.#pending.write(text, this.#used)
    return stored
  }

  async read({ start, bytes }: StoredText): Promise<string> {
    this.#flush()
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

  #flush(): void {
    this.#append(this.#pending.subarray(0, this.#used))
    this.#used = 0
  }

  /** Synchronous, as reading is, and so that the buffer can be used again at once. */
  #append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file.fd, bytes, at)
  }
}

/** The stores for the texts of one project, which are disposed of together. */
export class TextFiles implements AsyncDisposable {
  readonly #directory: string
  readonly #files: TextFile[] = []

  constructor(directory: string) {
    this.#directory = directory
  }

  async open(): Promise<TextStore> {
    const file = await TextFile.open(this.#directory)
    this.#files.push(file)
    return file
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files) await file[Symbol.asyncDispose]()
  }
}
