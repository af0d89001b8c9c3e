import { closeSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { BagError } from './errors.ts'
import type { ManifestEntry } from './format.ts'
import { HashedFile, type Written } from './hashed-file.ts'
import { CHUNK_BYTES } from './plain-file.ts'
import type { PreviousBag } from './previous-bag.ts'

/**
 * A new file made of the text with which the previous bag's file at the same path begins, of parts of that file, and of new text. If the parts
 * add up to the whole previous file, in its order, the new file is a link to it; otherwise they are copied, the first of them when the file is
 * certain to differ.
 */
export class SplicedFile {
  readonly #folder: string
  readonly #previous: PreviousBag
  readonly #from: ManifestEntry
  /** The text with which both files begin. */
  readonly #head: Buffer
  /** A part of the previous file that was added but is not copied yet. */
  readonly #part: { start: number; end: number }
  #file: HashedFile | null = null
  #source: number | null = null
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)

  /** `folder` is that of the new bag; `from` is the file's entry in the previous bag; `head` is the text with which both begin. */
  constructor(folder: string, previous: PreviousBag, from: ManifestEntry, head: string) {
    this.#head = Buffer.from(head)
    this.#part = { start: 0, end: this.#head.length }
    this.#folder = folder
    this.#previous = previous
    this.#from = from
  }

  async write(text: string): Promise<void> {
    await (await this.#copyPart()).write(text)
  }

  /** Adds bytes of the previous file. */
  async copy(start: number, bytes: number): Promise<void> {
    if (bytes === 0) return
    if (start !== this.#part.end) {
      await this.#copyPart()
      this.#part.start = start
    }
    this.#part.end = start + bytes
  }

  /** @returns the file's size and digest, and whether it is a link to the previous file */
  async end(): Promise<{ readonly written: Written; readonly isLinked: boolean }> {
    const { path, bytes, sha256 } = this.#from
    const isAll = this.#file === null && this.#part.start === 0 && this.#part.end === bytes
    const target = join(this.#folder, path)
    if (isAll && this.#previous.linkUnread({ path, target }, bytes))
      return { written: { bytes, sha256 }, isLinked: true }
    const file = await this.#copyPart()
    this.#close()
    return { written: await file.end(), isLinked: false }
  }

  async abandon(): Promise<void> {
    this.#close()
    await this.#file?.abandon()
  }

  async #copyPart(): Promise<HashedFile> {
    this.#file ??= await HashedFile.create(join(this.#folder, this.#from.path))
    const { start, end } = this.#part
    this.#part.start = end
    // Copying needs the previous file to be intact, for which all of it is read: not worth it for its head.
    const from = start === 0 ? this.#head.length : start
    if (start === 0 && end > 0) await this.#file.write(this.#head)
    if (from === end) return this.#file
    this.#source ??= await this.#previous.openIntact(this.#from.path, this.#from.sha256)
    for (let at = from; at < end; ) {
      const read =
        this.#source === null ? 0 : readSync(this.#source, this.#buffer, 0, Math.min(CHUNK_BYTES, end - at), at)
      if (read === 0) throw new BagError('PREVIOUS_CHANGED', `${this.#from.path} of the previous backup is damaged`)
      await this.#file.write(this.#buffer.subarray(0, read))
      at += read
    }
    return this.#file
  }

  #close(): void {
    if (this.#source !== null) closeSync(this.#source)
    this.#source = null
  }
}
