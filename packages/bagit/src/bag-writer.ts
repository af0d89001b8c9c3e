import { hash } from 'node:crypto'
import { join } from 'node:path'
import { Folders } from './folders.ts'
import {
  BAG_FILES,
  bagInfoText,
  DECLARATION,
  type ManifestEntry,
  manifestLine,
  type Oxum,
  PAYLOAD_FOLDER,
  sizeLine,
} from './format.ts'
import { FreeBuffers } from './free-buffers.ts'
import { HashedFile, NewFiles, type Written } from './hashed-file.ts'
import { type ListedFiles, oxumOf } from './manifest-reader.ts'
import type { PreviousBag } from './previous-bag.ts'
import { openReuseTasks, type ReuseTasks } from './reuse-tasks.ts'
import { ReusedFiles } from './reused-files.ts'
import { SentParts } from './sent-parts.ts'
import { linkInBoth } from './shared-links.ts'

/** Files being written at once: beyond this the disk's queue is full and more only takes memory. */
const FILES_AT_ONCE = 8

/** Files of a bag that are links to the previous one, and those that are new data; the last two tag files are not counted. */
export interface LinkTotals {
  readonly linked: Oxum
  readonly newData: Oxum
}

/** A payload file that is written in pieces. */
export interface PayloadFile {
  write(text: string): Promise<void>
  /** Must be called once. The manifest names files in the order of these calls. */
  end(): Promise<void>
}

/** A tag file that is written in pieces: text, or bytes, which the caller may reuse at once. */
export interface TagFile {
  write(piece: string | Uint8Array): Promise<void>
  end(): Promise<void>
}

/** Receives payload files. Paths are relative to `data/`. */
export interface PayloadSink {
  /** Adds a file. Resolves once there is room for another one, which may be before it is written. */
  add(path: string, text: string): Promise<void>
  stream(path: string): Promise<PayloadFile>
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

type Record = (path: string, written: Written) => Promise<void>

/**
 * Writes a bag (RFC 8493) into an empty folder. The manifest names files in the order in which they were added, whichever was
 * on disk first, and is written along with them: memory does not grow with their number.
 */
export class BagWriter implements PayloadSink {
  readonly #folder: string
  readonly #manifest: HashedFile
  readonly #sizes: HashedFile
  readonly #previous: PreviousBag | null
  readonly #newFiles = new NewFiles()
  readonly #buffers = new FreeBuffers()
  readonly #folders: Folders
  readonly #open = new Set<{ abandon(): Promise<void> }>()
  /** Further tag files. */
  readonly #tags: [path: string, written: Written][] = []
  readonly #queues: WriteQueue[] = []
  readonly #mainQueue: WriteQueue
  readonly #main: PayloadSink
  readonly #linked = { bytes: 0, files: 0 }
  readonly #newData = { bytes: 0, files: 0 }
  readonly #options: WriterOptions
  #reuse: ReuseTasks | null = null
  /** Links files in this thread while the other thread links others. */
  #own: ReusedFiles | null = null
  #bytes = 0
  #files = 0

  private constructor(
    folder: string,
    lists: readonly [manifest: HashedFile, sizes: HashedFile],
    previous: PreviousBag | null,
    options: WriterOptions,
  ) {
    const [manifest, sizes] = lists
    this.#options = options
    this.#folder = folder
    this.#folders = new Folders(folder)
    this.#previous = previous
    this.#manifest = manifest
    this.#sizes = sizes
    this.#open.add(manifest).add(sizes)
    this.#mainQueue = this.#queue()
    this.#main = this.#sink(this.#mainQueue, (path, written) => this.#record(path, written))
  }

  /** Files that `previous` holds too are linked from it. */
  static async create(
    folder: string,
    previous: PreviousBag | null = null,
    options: WriterOptions = {},
  ): Promise<BagWriter> {
    const manifest = await HashedFile.create(join(folder, BAG_FILES.manifest))
    const sizes = await HashedFile.create(join(folder, BAG_FILES.sizes))
    return new BagWriter(folder, [manifest, sizes], previous, options)
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
    return { linked: { ...this.#linked }, newData: { ...this.#newData } }
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
        if (isLinked) this.#count(true, written)
        else await this.#linkWritten(path, written)
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
    if (which === 'all' && !(tasks instanceof ReusedFiles)) {
      this.#own ??= new ReusedFiles(this.#folder, this.#previous)
      return await linkInBoth(files, tasks, this.#own)
    }
    return (await tasks.run({ kind: 'link', files, all: which === 'all' })).linked ?? []
  }

  /** Adds files that `linkUnread` has linked, after those added so far. */
  async addLinked(files: ListedFiles): Promise<void> {
    await this.#mainQueue.settle()
    const added = oxumOf(files)
    this.#count(true, added)
    this.#bytes += added.bytes
    this.#files += added.files
    await this.#manifest.write(files.manifest)
    await this.#sizes.write(files.sizes)
  }

  /** Begins a further tag file, which must be ended before the bag is finished. */
  async tag(name: string): Promise<TagFile> {
    const file = await HashedFile.create(join(this.#folder, name))
    this.#open.add(file)
    const end = async () => void this.#tags.push([name, await this.#endTag(name, file)])
    return { write: (piece) => file.write(piece), end }
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
    const manifest = await this.#endTag(BAG_FILES.manifest, this.#manifest)
    const sizes = await this.#endTag(BAG_FILES.sizes, this.#sizes)
    const declaration = await this.#writeTag(BAG_FILES.declaration, DECLARATION)
    const tags: [path: string, written: Written][] = [
      [BAG_FILES.declaration, declaration],
      [BAG_FILES.info, await this.#writeTag(BAG_FILES.info, bagInfoText(info(this.oxum, this.linkTotals)))],
      [BAG_FILES.manifest, manifest],
      [BAG_FILES.sizes, sizes],
      ...this.#tags,
    ]
    await this.#writeTag(BAG_FILES.tagManifest, tags.map(([path, { sha256 }]) => manifestLine(sha256, path)).join(''))
    return this.oxum
  }

  /** Closes all files after a failure, so that the folder can be removed. */
  async abandon(): Promise<void> {
    await this.#reuse?.close()
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
      // The text is not kept while its bytes are written: V8 would copy it to the old generation.
      add: (path, text) => {
        this.#options.onPiece?.()
        return queue.add(this.#write(`${PAYLOAD_FOLDER}/${path}`, this.#buffers.encoded(text), record))
      },
      stream: (path) => this.#stream(`${PAYLOAD_FOLDER}/${path}`, queue, record),
    }
  }

  async #stream(path: string, queue: WriteQueue, record: Record): Promise<PayloadFile> {
    this.#folders.makeFor(path)
    const file = await HashedFile.create(join(this.#folder, path))
    this.#open.add(file)
    return {
      write: (text) => {
        this.#options.onPiece?.()
        return file.write(text)
      },
      end: async () => {
        const written = await file.end()
        this.#open.delete(file)
        await queue.settle()
        await this.#linkWritten(path, written)
        await record(path, written)
      },
    }
  }

  async #write(path: string, bytes: Buffer, record: Record): Promise<() => Promise<void>> {
    const written = { bytes: bytes.length, sha256: hash('sha256', bytes) }
    this.#folders.makeFor(path)
    const target = join(this.#folder, path)
    const isLinked = (await this.#previous?.linkBytes({ path, target }, written.sha256, bytes)) ?? false
    if (!isLinked) await this.#newFiles.write(target, bytes)
    this.#buffers.release(bytes)
    this.#count(isLinked, { bytes: written.bytes })
    return () => record(path, written)
  }

  /** Replaces a file that was written in pieces by a link if the previous bag holds it, now that its bytes are known. */
  async #linkWritten(
    path: string,
    { bytes, sha256 }: Written,
    { mayHaveMoved } = { mayHaveMoved: true },
  ): Promise<void> {
    const file = { path, target: join(this.#folder, path) }
    this.#count((await this.#previous?.linkWritten(file, mayHaveMoved ? sha256 : null)) ?? false, { bytes })
  }

  #count(isLinked: boolean, { bytes, files = 1 }: { readonly bytes: number; readonly files?: number }): void {
    const sum = isLinked ? this.#linked : this.#newData
    sum.bytes += bytes
    sum.files += files
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
    await this.#linkWritten(name, written, { mayHaveMoved: false })
    return written
  }

  async #writeTag(name: string, text: string): Promise<Written> {
    const bytes = Buffer.from(text)
    await this.#newFiles.write(join(this.#folder, name), bytes)
    const written = { bytes: bytes.length, sha256: hash('sha256', bytes) }
    await this.#linkWritten(name, written, { mayHaveMoved: false })
    return written
  }

  #reuseTasks(previous: PreviousBag): ReuseTasks {
    this.#reuse ??= openReuseTasks(this.#folder, previous, this.#options.threadFromBytes)
    return this.#reuse
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
