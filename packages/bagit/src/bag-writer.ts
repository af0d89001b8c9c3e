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

/** What of a bag is linked from the previous one, and what is new data on the disk; folders and the last two tag files aside. */
export interface Shares {
  readonly shared: Oxum
  readonly fresh: Oxum
}

/** A payload file that is written in pieces. */
export interface PayloadStream {
  write(text: string): Promise<void>
  /** Must be called once. The manifest names files in the order of these calls. */
  end(): Promise<void>
}

/** Receives payload files. Paths are relative to `data/`. */
export interface PayloadSink {
  /** Adds a file. Resolves once there is room for another one, which may be before it is written. */
  add(path: string, text: string): Promise<void>
  stream(path: string): Promise<PayloadStream>
}

/** A part of a bag that is written while others are. */
export interface BagSection extends PayloadSink {
  /** Adds the section's files to the manifest, after those that are in it. Must be called once, if the bag is to be finished. */
  end(): Promise<void>
}

type Record = (path: string, written: Written) => Promise<void>

/**
 * Writes a bag (RFC 8493) into an empty folder. The manifest names files in the order in which they were added, whichever was
 * on disk first, and is written along with them: memory does not grow with their number.
 */
export class BagWriter implements PayloadSink {
  readonly #folder: string
  readonly #manifest: HashedFile
  readonly #sizes: HashedFile
  readonly #sharing: Sharing | null
  readonly #newFiles = new NewFiles()
  /** Those made last. */
  readonly #folders = new Set<string>()
  readonly #open = new Set<HashedFile>()
  readonly #queues: WriteQueue[] = []
  readonly #mainQueue: WriteQueue
  readonly #main: PayloadSink
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
    this.#mainQueue = this.#queue()
    this.#main = this.#sink(this.#mainQueue, (path, written) => this.#record(path, written))
  }

  /** With `sharing`, files that the previous bag holds too are linked from it. */
  static async create(folder: string, sharing: Sharing | null = null): Promise<BagWriter> {
    const manifest = await HashedFile.create(join(folder, BAG_FILES.manifest))
    const sizes = await HashedFile.create(join(folder, BAG_FILES.sizes))
    return new BagWriter(folder, manifest, sizes, sharing)
  }

  /** What was added so far. */
  get oxum(): Oxum {
    return { bytes: this.#bytes, files: this.#files }
  }

  /** What of it is linked so far. */
  get shares(): Shares {
    return { shared: { ...this.#shared }, fresh: { ...this.#fresh } }
  }

  add(path: string, text: string): Promise<void> {
    return this.#main.add(path, text)
  }

  stream(path: string): Promise<PayloadStream> {
    return this.#main.stream(path)
  }

  /** Begins a part that can be written at the same time as others. Its lines of the manifest are kept until it ends. */
  section(): BagSection {
    const queue = this.#queue()
    const recorded: [path: string, written: Written][] = []
    const sink = this.#sink(queue, async (path, written) => void recorded.push([path, written]))
    const end = async () => {
      await this.#mainQueue.settle()
      await queue.settle()
      this.#queues.splice(this.#queues.indexOf(queue), 1)
      for (const [path, written] of recorded) await this.#record(path, written)
    }
    return { ...sink, end }
  }

  /** Writes the files that make a bag of it. `info` gives the entries of bag-info.txt by what the bag came to be. */
  async finish(
    info: (oxum: Oxum, shares: Shares) => readonly (readonly [label: string, value: string])[],
  ): Promise<Oxum> {
    for (const queue of this.#queues) await queue.settle()
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
    await Promise.all(this.#queues.map((queue) => queue.abandon()))
    await Promise.all([...this.#open].map((file) => file.abandon()))
  }

  #queue(): WriteQueue {
    const queue = new WriteQueue()
    this.#queues.push(queue)
    return queue
  }

  #sink(queue: WriteQueue, record: Record): PayloadSink {
    return {
      add: (path, text) => queue.add(this.#write(`${PAYLOAD_FOLDER}/${path}`, text, record)),
      stream: (path) => this.#stream(`${PAYLOAD_FOLDER}/${path}`, queue, record),
    }
  }

  async #stream(path: string, queue: WriteQueue, record: Record): Promise<PayloadStream> {
    await this.#makeFolder(path)
    const file = await HashedFile.create(join(this.#folder, path))
    this.#open.add(file)
    return {
      write: (text) => file.write(text),
      end: async () => {
        const written = await file.end()
        this.#open.delete(file)
        await queue.settle()
        await this.#share(path, written)
        await record(path, written)
      },
    }
  }

  async #write(path: string, text: string, record: Record): Promise<() => Promise<void>> {
    const bytes = Buffer.from(text)
    const sha256 = hash('sha256', bytes)
    await this.#makeFolder(path)
    const target = join(this.#folder, path)
    const isShared = (await this.#sharing?.bytes({ path, target }, sha256, bytes)) ?? false
    if (!isShared) await this.#newFiles.write(target, bytes)
    this.#count(isShared, bytes.length)
    return () => record(path, { bytes: bytes.length, sha256 })
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

/** Files that are being written; they are recorded in the order in which they were added. For one writer at a time. */
class WriteQueue {
  readonly #writes: Promise<() => Promise<void>>[] = []

  /** Resolves once there is room for another. */
  async add(write: Promise<() => Promise<void>>): Promise<void> {
    // The failure is thrown when the write is settled; until then it must not count as unhandled.
    write.catch(() => {})
    this.#writes.push(write)
    if (this.#writes.length > FILES_AT_ONCE) await this.#settleOldest()
  }

  async settle(): Promise<void> {
    while (this.#writes.length > 0) await this.#settleOldest()
  }

  async abandon(): Promise<void> {
    await Promise.allSettled(this.#writes)
  }

  async #settleOldest(): Promise<void> {
    const record = await this.#writes.shift()
    await record?.()
  }
}
