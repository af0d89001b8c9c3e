import { hash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BAG_FILES, bagInfoText, DECLARATION, manifestLine, type Oxum, PAYLOAD_FOLDER, sizeLine } from './format.ts'
import type { Sharing } from './hard-links.ts'
import { FOLDER_MODE, HashedFile, type Written } from './hashed-file.ts'
import { NewFiles } from './new-files.ts'

/** Files being written at once: beyond this the disk's queue is full and more only takes memory. */
const FILES_AT_ONCE = 8

/** Folders that are known to be there: more than that are not remembered, and made once more for nothing. */
const REMEMBERED_FOLDERS = 5000

/** What of a bag is a share of the backup before, and what is its own on the disk; folders and the last two tag files aside. */
export interface Shares {
  readonly shared: Oxum
  readonly fresh: Oxum
}

/** A payload file that is written piece by piece. */
export interface PayloadStream {
  write(text: string): Promise<void>
  /** To be called once; its line stands in the manifest in the order of these calls. */
  end(): Promise<void>
}

/**
 * Writes a bag (RFC 8493) into an empty folder. The manifest names files in the order in which they were added,
 * whichever was on disk first, and is written as they are: memory does not grow with their number.
 */
export class BagWriter {
  readonly #folder: string
  readonly #manifest: HashedFile
  readonly #sizes: HashedFile
  readonly #sharing: Sharing | null
  readonly #newFiles = new NewFiles()
  /** Those made last. */
  readonly #folders = new Set<string>()
  readonly #underWay: Promise<() => Promise<void>>[] = []
  readonly #open = new Set<HashedFile>()
  readonly #shared = { bytes: 0, files: 0 }
  readonly #fresh = { bytes: 0, files: 0 }
  #bytes = 0
  #files = 0

  private constructor(folder: string, manifest: HashedFile, sizes: HashedFile, sharing: Sharing | null) {
    this.#folder = folder
    this.#sharing = sharing
    this.#manifest = manifest
    this.#sizes = sizes
    this.#open.add(manifest).add(sizes)
  }

  /** With `sharing`, files that the backup before holds too are shared with it. */
  static async create(folder: string, sharing: Sharing | null = null): Promise<BagWriter> {
    const manifest = await HashedFile.create(join(folder, BAG_FILES.manifest))
    const sizes = await HashedFile.create(join(folder, BAG_FILES.sizes))
    return new BagWriter(folder, manifest, sizes, sharing)
  }

  /** What was added so far. */
  get oxum(): Oxum {
    return { bytes: this.#bytes, files: this.#files }
  }

  /** What of it is shared so far. */
  get shares(): Shares {
    return { shared: { ...this.#shared }, fresh: { ...this.#fresh } }
  }

  /** Adds a file. `path` is relative to `data/`. Resolves once there is room for another, not once it is written. */
  async add(path: string, text: string): Promise<void> {
    if (this.#underWay.length >= FILES_AT_ONCE) await this.#settleOldest()
    const writing = this.#write(path, text)
    // Whoever settles it sees the failure; until then it must not count as unhandled.
    writing.catch(() => {})
    this.#underWay.push(writing)
  }

  /** Adds a file that is written piece by piece. `path` is relative to `data/`. */
  async stream(path: string): Promise<PayloadStream> {
    const payloadPath = `${PAYLOAD_FOLDER}/${path}`
    await this.#makeFolder(payloadPath)
    const file = await HashedFile.create(join(this.#folder, payloadPath))
    this.#open.add(file)
    return {
      write: (text) => file.write(text),
      end: async () => {
        const written = await file.end()
        this.#open.delete(file)
        while (this.#underWay.length > 0) await this.#settleOldest()
        await this.#share(payloadPath, written)
        await this.#record(payloadPath, written)
      },
    }
  }

  /** Writes the files that make a bag of it. `info` gives the entries of bag-info.txt by what the bag came to be. */
  async finish(
    info: (oxum: Oxum, shares: Shares) => readonly (readonly [label: string, value: string])[],
  ): Promise<Oxum> {
    while (this.#underWay.length > 0) await this.#settleOldest()
    const manifest = await this.#endTag(BAG_FILES.manifest, this.#manifest)
    const sizes = await this.#endTag(BAG_FILES.sizes, this.#sizes)
    const declaration = await this.#writeTag(BAG_FILES.declaration, DECLARATION)
    const tags: [path: string, written: Written][] = [
      [BAG_FILES.declaration, declaration],
      [BAG_FILES.info, await this.#writeTag(BAG_FILES.info, bagInfoText(info(this.oxum, this.shares)))],
      [BAG_FILES.manifest, manifest],
      [BAG_FILES.sizes, sizes],
    ]
    await this.#writeTag(BAG_FILES.tagManifest, tags.map(([path, { sha256 }]) => manifestLine(sha256, path)).join(''))
    return this.oxum
  }

  /** Lets go of everything after a failure, so that the folder can be removed. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await Promise.all([...this.#open].map((file) => file.abandon()))
  }

  async #write(path: string, text: string): Promise<() => Promise<void>> {
    const payloadPath = `${PAYLOAD_FOLDER}/${path}`
    const bytes = Buffer.from(text)
    const sha256 = hash('sha256', bytes)
    await this.#makeFolder(payloadPath)
    const target = join(this.#folder, payloadPath)
    const isShared = (await this.#sharing?.bytes({ path: payloadPath, target }, sha256, bytes)) ?? false
    if (!isShared) await this.#newFiles.write(target, bytes)
    this.#count(isShared, bytes.length)
    return () => this.#record(payloadPath, { bytes: bytes.length, sha256 })
  }

  /** Lets a file that was written in pieces be shared, now that its bytes are known. */
  async #share(path: string, { bytes, sha256 }: Written): Promise<void> {
    const file = { path, target: join(this.#folder, path) }
    this.#count((await this.#sharing?.written(file, sha256)) ?? false, bytes)
  }

  #count(isShared: boolean, bytes: number): void {
    const sum = isShared ? this.#shared : this.#fresh
    sum.bytes += bytes
    sum.files += 1
  }

  async #settleOldest(): Promise<void> {
    const record = await this.#underWay.shift()
    await record?.()
  }

  async #record(path: string, { bytes, sha256 }: Written): Promise<void> {
    this.#bytes += bytes
    this.#files += 1
    await this.#manifest.write(manifestLine(sha256, path))
    await this.#sizes.write(sizeLine(bytes, path))
  }

  async #endTag(name: string, file: HashedFile): Promise<Written> {
    const written = await file.end()
    this.#open.delete(file)
    await this.#share(name, written)
    return written
  }

  async #writeTag(name: string, text: string): Promise<Written> {
    const bytes = Buffer.from(text)
    await this.#newFiles.write(join(this.#folder, name), bytes)
    const written = { bytes: bytes.length, sha256: hash('sha256', bytes) }
    await this.#share(name, written)
    return written
  }

  async #makeFolder(path: string): Promise<void> {
    const folder = dirname(path)
    if (this.#folders.has(folder)) return
    await mkdir(join(this.#folder, folder), { recursive: true, mode: FOLDER_MODE })
    if (this.#folders.size >= REMEMBERED_FOLDERS) this.#folders.clear()
    this.#folders.add(folder)
  }
}
