import { closeSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { BagError } from './errors.ts'
import type { ManifestEntry } from './format.ts'
import { HashedFile, type Written } from './hashed-file.ts'
import { CHUNK_BYTES } from './plain-file.ts'
import type { PreviousBag } from './previous-bag.ts'

/**
 * A new file made of parts of the previous bag's file at the same path, and of new text. If the parts add up to the whole previous file,
 * in its order, the new file is a link to it; otherwise they are copied, the first of them when the file is certain to differ.
 */
export class SplicedFile {
  readonly #folder: string
  readonly #previous: PreviousBag
  readonly #from: ManifestEntry
  /** A part of the previous file that was added but is not copied yet. */
  readonly #part = { start: 0, end: 0 }
  #file: HashedFile | null = null
  #source: number | null = null
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)

  /** `folder` is that of the new bag; `from` is the file's entry in the previous bag. */
  constructor(folder: string, previous: PreviousBag, from: ManifestEntry) {
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
    if (start === end) return this.#file
    this.#source ??= await this.#previous.openIntact(this.#from.path, this.#from.sha256)
    for (let at = start; at < end; ) {
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
