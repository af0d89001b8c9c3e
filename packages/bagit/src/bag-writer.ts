import { rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { BagFiles, type LinkTotals, type PayloadFile, type PayloadSink } from './bag-files.ts'
import { BAG_FILES, bagInfoText, DECLARATION, type ManifestEntry, manifestLine, type Oxum, sizeLine } from './format.ts'
import type { HashedFile, Written } from './hashed-file.ts'
import { entriesOf, type ListedFiles, oxumOf } from './manifest-reader.ts'
import type { PreviousBag } from './previous-bag.ts'
import type { SplicedFile } from './spliced-file.ts'
import { WriteQueue } from './write-queue.ts'

/** A tag file that is written in pieces: text, or bytes, which the caller may reuse at once. */
export interface TagFile {
  write(piece: string | Uint8Array): Promise<void>
  end(): Promise<void>
}

/** A payload file that may copy parts of the previous bag's file at the same path. */
export interface SplicedPayloadFile extends PayloadFile {
  /** Adds bytes of the previous file. */
  copy(start: number, bytes: number): Promise<void>
}

/** A part of a bag that is written while others are. */
export interface BagSection extends PayloadSink {
  /** Adds the section's files to the manifest, after those that are in it. Must be called once, if the bag is to be finished. */
  end(): Promise<void>
}

interface WriterOptions {
  /** Called for each file, and for each piece of a file that is written in pieces. */
  readonly onPiece?: (() => void) | undefined
}

/** Files that are linked at once: this blocks the event loop for about 2 ms. */
const LINKED_AT_ONCE = 128

/**
 * Writes a bag (RFC 8493) into an empty folder. The manifest names files in the order in which they were added, whichever was
 * on disk first, and is written along with them: memory does not grow with their number.
 */
export class BagWriter implements PayloadSink {
  readonly #folder: string
  readonly #manifest: HashedFile
  readonly #sizes: HashedFile
  readonly #previous: PreviousBag | null
  readonly #bagFiles: BagFiles
  /** Further tag files. */
  readonly #tags: [path: string, written: Written][] = []
  readonly #queues: WriteQueue[] = []
  readonly #mainQueue: WriteQueue
  readonly #main: PayloadSink
  readonly #options: WriterOptions
  readonly #spliced = new Set<SplicedFile>()
  #bytes = 0
  #files = 0

  private constructor(
    folder: string,
    files: BagFiles,
    lists: readonly [manifest: HashedFile, sizes: HashedFile],
    previous: PreviousBag | null,
    options: WriterOptions,
  ) {
    const [manifest, sizes] = lists
    this.#options = options
    this.#folder = folder
    this.#bagFiles = files
    this.#previous = previous
    this.#manifest = manifest
    this.#sizes = sizes
    this.#mainQueue = this.#queue()
    this.#main = files.sink(this.#mainQueue, (path, written) => this.#record(path, written))
  }

  /** Files that `previous` holds too are linked from it. */
  static async create(
    folder: string,
    previous: PreviousBag | null = null,
    options: WriterOptions = {},
  ): Promise<BagWriter> {
    const files = new BagFiles(folder, previous, options.onPiece)
    const lists = [await files.create(BAG_FILES.manifest), await files.create(BAG_FILES.sizes)] as const
    return new BagWriter(folder, files, lists, previous, options)
  }

  /** The folder of the bag. */
  get folder(): string {
    return this.#folder
  }

  /** What was added so far. */
  get oxum(): Oxum {
    return { bytes: this.#bytes, files: this.#files }
  }

  /** The part of it that is linked so far. */
  get linkTotals(): LinkTotals {
    return this.#bagFiles.linkTotals
  }

  add(path: string, text: string): Promise<Written> {
    return this.#main.add(path, text)
  }

  link(path: string, file: Written): Promise<boolean> {
    return this.#main.link(path, file)
  }

  stream(path: string): Promise<PayloadFile> {
    return this.#main.stream(path)
  }

  /** Begins a payload file that may copy parts of the previous bag's file at the same path. Both begin with `head`. */
  splice(from: ManifestEntry, head: string): SplicedPayloadFile {
    if (this.#previous === null) throw new TypeError('there is no previous bag to copy parts of files from')
    const { path } = from
    const spliced = this.#bagFiles.splice(this.#previous, from, head)
    this.#spliced.add(spliced)
    return {
      write: (text) => {
        this.#options.onPiece?.()
        return spliced.write(text)
      },
      copy: (start, bytes) => spliced.copy(start, bytes),
      end: async () => {
        const { written, isLinked } = await spliced.end()
        this.#spliced.delete(spliced)
        await this.#mainQueue.settle()
        if (isLinked) this.#bagFiles.count(true, written)
        else await this.#bagFiles.linkWritten(path, written)
        await this.#record(path, written)
      },
    }
  }

  /**
   * Adds files of the previous bag without reading them, after those added so far: all of them, or none if one cannot be linked.
   * @returns whether they were added
   * @throws BagError `PREVIOUS_CHANGED` if the two lists differ, or errors of the file system; then some files may be linked
   */
  async addUnread(files: ListedFiles): Promise<boolean> {
    await this.#mainQueue.settle()
    let linked = 0
    for (const { path, bytes } of entriesOf(files)) {
      if (!this.#bagFiles.linkUnread(path, bytes)) {
        this.#unlink(files, linked)
        return false
      }
      linked += 1
      if (linked % LINKED_AT_ONCE === 0) await setImmediate()
    }
    const added = oxumOf(files)
    this.#bagFiles.count(true, added)
    this.#bytes += added.bytes
    this.#files += added.files
    await this.#manifest.write(files.manifest)
    await this.#sizes.write(files.sizes)
    return true
  }

  /** Removes the first `count` of these files. */
  #unlink(files: ListedFiles, count: number): void {
    let removed = 0
    for (const { path } of entriesOf(files)) {
      if (removed === count) return
      rmSync(`${this.#folder}/${path}`)
      removed += 1
    }
  }

  /** Begins a further tag file, which must be ended before the bag is finished. */
  async tag(name: string): Promise<TagFile> {
    const file = await this.#bagFiles.create(name)
    const end = async () => void this.#tags.push([name, await this.#bagFiles.end(name, file)])
    return { write: (piece) => file.write(piece), end }
  }

  /** Begins a part that can be written at the same time as others. Its lines of the manifest are kept until it ends. */
  section(): BagSection {
    const queue = this.#queue()
    const recorded: [path: string, written: Written][] = []
    const sink = this.#bagFiles.sink(queue, async (path, written) => void recorded.push([path, written]))
    const end = async () => {
      await this.#mainQueue.settle()
      await queue.settle()
      this.#queues.splice(this.#queues.indexOf(queue), 1)
      for (const [path, written] of recorded) await this.#record(path, written)
    }
    return { ...sink, end }
  }

  /** Waits until all files added so far are written and counted. */
  async settle(): Promise<void> {
    for (const queue of this.#queues) await queue.settle()
  }

  /** Waits until all files added so far are written, and so is the manifest, so that they can be read before the bag is finished. */
  async flushManifest(): Promise<void> {
    await this.settle()
    await this.#manifest.flush()
  }

  /** Writes the tag files, which complete the bag. `info` returns the entries of bag-info.txt, given the size of the payload. */
  async finish(
    info: (oxum: Oxum, totals: LinkTotals) => readonly (readonly [label: string, value: string])[],
  ): Promise<Oxum> {
    await this.settle()
    const files = this.#bagFiles
    const manifest = await files.end(BAG_FILES.manifest, this.#manifest)
    const sizes = await files.end(BAG_FILES.sizes, this.#sizes)
    const declaration = await files.write(BAG_FILES.declaration, DECLARATION)
    const tags: [path: string, written: Written][] = [
      [BAG_FILES.declaration, declaration],
      [BAG_FILES.info, await files.write(BAG_FILES.info, bagInfoText(info(this.oxum, this.linkTotals)))],
      [BAG_FILES.manifest, manifest],
      [BAG_FILES.sizes, sizes],
      ...this.#tags,
    ]
    await files.write(BAG_FILES.tagManifest, tags.map(([path, { sha256 }]) => manifestLine(sha256, path)).join(''))
    return this.oxum
  }

  /** Closes all files after a failure, so that the folder can be removed. */
  async abandon(): Promise<void> {
    for (const file of this.#spliced) await file.abandon()
    await Promise.all(this.#queues.map((queue) => queue.abandon()))
    await this.#bagFiles.abandon()
  }

  #queue(): WriteQueue {
    const queue = new WriteQueue()
    this.#queues.push(queue)
    return queue
  }

  async #record(path: string, { bytes, sha256 }: Written): Promise<void> {
    this.#bytes += bytes
    this.#files += 1
    await this.#manifest.write(manifestLine(sha256, path))
    await this.#sizes.write(sizeLine(bytes, path))
  }
}
