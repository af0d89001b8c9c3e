import { BagFiles, type LinkTotals, type PayloadFile, type PayloadSink } from './bag-files.ts'
import { BAG_FILES, bagInfoText, DECLARATION, type ManifestEntry, manifestLine, type Oxum, sizeLine } from './format.ts'
import type { HashedFile, Written } from './hashed-file.ts'
import { type ListedFiles, oxumOf } from './manifest-reader.ts'
import type { PreviousBag } from './previous-bag.ts'
import { openReuseTasks, type ReuseTasks } from './reuse-tasks.ts'
import { ReusedFiles } from './reused-files.ts'
import { SentParts } from './sent-parts.ts'
import { linkInBoth } from './shared-links.ts'
import { WriteQueue } from './write-queue.ts'

/** A tag file that is written in pieces: text, or bytes, which the caller may reuse at once. */
export interface TagFile {
  write(piece: string | Uint8Array): Promise<void>
  end(): Promise<void>
}

/** A payload file that may copy parts of the previous bag's file at the same path. */
export interface SplicedPayloadFile extends PayloadFile {
  /** Size of the previous file in bytes. */
  readonly previousBytes: number
  /** Adds bytes of the previous file. */
  copy(start: number, bytes: number): Promise<void>
}

/** A part of a bag that is written while others are. */
export interface BagSection extends PayloadSink {
  /** Adds the section's files to the manifest, after those that are in it. Must be called once, if the bag is to be finished. */
  end(): Promise<void>
}

interface WriterOptions {
  /** Size of the previous bag's manifest from which a thread links its files; default: about 2,000 files. */
  readonly threadFromBytes?: number
  /** Called for each file, and for each piece of a file that is written in pieces. */
  readonly onPiece?: (() => void) | undefined
}

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
  #reuse: ReuseTasks | null = null
  /** Links files in this thread while the other thread links others. */
  #own: ReusedFiles | null = null
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

  add(path: string, text: string): Promise<void> {
    return this.#main.add(path, text)
  }

  stream(path: string): Promise<PayloadFile> {
    return this.#main.stream(path)
  }

  /** Starts the thread that links files, if there is to be one. Otherwise the first file to be linked waits for its start. */
  startLinking(): void {
    if (this.#previous !== null) this.#reuseTasks(this.#previous)
  }

  /** Begins a payload file that may copy parts of the previous bag's file at the same path. */
  async splice(from: ManifestEntry): Promise<SplicedPayloadFile> {
    if (this.#previous === null) throw new TypeError('there is no previous bag to copy parts of files from')
    const { path, bytes: previousBytes } = from
    const tasks = this.#reuseTasks(this.#previous)
    await tasks.run({ kind: 'splice', file: from })
    const parts = new SentParts(tasks, path)
    return {
      previousBytes,
      write: async (text) => {
        this.#options.onPiece?.()
        if (text !== '') await parts.add(text)
      },
      copy: async (start, bytes) => {
        if (bytes > 0) await parts.add({ start, end: start + bytes })
      },
      end: async () => {
        const { written, isLinked } = await parts.end()
        await this.#mainQueue.settle()
        if (isLinked) this.#bagFiles.count(true, written)
        else await this.#bagFiles.linkWritten(path, written)
        await this.#record(path, written)
      },
    }
  }

  /**
   * Links files of the previous bag without reading them. `each`: every file that can be linked; `all`: all of them or none. They are not
   * part of the bag until `addLinked` adds them. Other files can be added before it resolves.
   * @returns for each file, whether it was linked; empty without a previous bag
   */
  async linkUnread(files: ListedFiles, which: 'each' | 'all'): Promise<readonly boolean[]> {
    if (this.#previous === null) return []
    const tasks = this.#reuseTasks(this.#previous)
    if (tasks instanceof ReusedFiles)
      return (await tasks.run({ kind: 'link', files, all: which === 'all' })).linked ?? []
    this.#own ??= new ReusedFiles(this.#folder, this.#previous)
    return await linkInBoth(files, which, { thread: tasks, own: this.#own })
  }

  /** Adds files that `linkUnread` has linked, after those added so far. */
  async addLinked(files: ListedFiles): Promise<void> {
    await this.#mainQueue.settle()
    const added = oxumOf(files)
    this.#bagFiles.count(true, added)
    this.#bytes += added.bytes
    this.#files += added.files
    await this.#manifest.write(files.manifest)
    await this.#sizes.write(files.sizes)
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
    await this.#reuse?.close()
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
    await this.#reuse?.close()
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

  #reuseTasks(previous: PreviousBag): ReuseTasks {
    this.#reuse ??= openReuseTasks(this.#folder, previous, this.#options.threadFromBytes)
    return this.#reuse
  }
}
