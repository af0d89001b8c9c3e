import { hash } from 'node:crypto'
import { join } from 'node:path'
import { Folders } from './folders.ts'
import { type ManifestEntry, type Oxum, PAYLOAD_FOLDER } from './format.ts'
import { FreeBuffers } from './free-buffers.ts'
import { HashedFile, NewFiles, type Written } from './hashed-file.ts'
import type { PreviousBag } from './previous-bag.ts'
import { SplicedFile } from './spliced-file.ts'
import type { WriteQueue } from './write-queue.ts'

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

/** Receives payload files. Paths are relative to `data/`. */
export interface PayloadSink {
  /** Adds a file. Resolves once there is room for another one, which may be before it is written. */
  add(path: string, text: string): Promise<Written>
  /** Links the file of the previous bag at this path without reading it, see `PreviousBag.linkUnread`. Returns whether it did. */
  link(path: string, file: Written): Promise<boolean>
  stream(path: string): Promise<PayloadFile>
}

type Record = (path: string, written: Written) => Promise<void>

/** Writes the files of a new bag, or links those that the previous bag holds, and counts both. Paths are relative to the bag. */
export class BagFiles {
  readonly #folder: string
  readonly #previous: PreviousBag | null
  readonly #onPiece: (() => void) | undefined
  readonly #newFiles = new NewFiles()
  readonly #buffers = new FreeBuffers()
  readonly #folders: Folders
  readonly #open = new Set<HashedFile>()
  readonly #linked = { bytes: 0, files: 0 }
  readonly #newData = { bytes: 0, files: 0 }

  /** `onPiece` is called for each payload file, and for each piece of one that is written in pieces. */
  constructor(folder: string, previous: PreviousBag | null, onPiece?: () => void) {
    this.#folder = folder
    this.#previous = previous
    this.#onPiece = onPiece
    this.#folders = new Folders(folder)
  }

  /** The files so far. */
  get linkTotals(): LinkTotals {
    return { linked: { ...this.#linked }, newData: { ...this.#newData } }
  }

  /** Begins a file that is written in pieces. */
  async create(path: string): Promise<HashedFile> {
    const file = await HashedFile.create(join(this.#folder, path))
    this.#open.add(file)
    return file
  }

  /** Begins a file that may copy parts of the previous bag's file at the same path. */
  splice(previous: PreviousBag, from: ManifestEntry, head: string): SplicedFile {
    this.#folders.makeFor(from.path)
    return new SplicedFile(this.#folder, previous, from, head)
  }

  /** Receives payload files; `record` is called with each, in the order in which they were added. */
  sink(queue: WriteQueue, record: Record): PayloadSink {
    return {
      // The text is not kept while its bytes are written: V8 would copy it to the old generation.
      add: (path, text) => {
        this.#onPiece?.()
        const bytes = this.#buffers.encoded(text)
        const written = { bytes: bytes.length, sha256: hash('sha256', bytes) }
        const adding = this.#add(`${PAYLOAD_FOLDER}/${path}`, bytes, written, record)
        return queue.add(bytes.length, adding).then(() => written)
      },
      link: async (path, { bytes, sha256 }) => {
        this.#onPiece?.()
        const linked = `${PAYLOAD_FOLDER}/${path}`
        if (!this.linkUnread(linked, bytes)) return false
        this.count(true, { bytes })
        await queue.add(
          0,
          Promise.resolve(() => record(linked, { bytes, sha256 })),
        )
        return true
      },
      stream: (path) => this.#stream(`${PAYLOAD_FOLDER}/${path}`, queue, record),
    }
  }

  async #stream(path: string, queue: WriteQueue, record: Record): Promise<PayloadFile> {
    this.#folders.makeFor(path)
    const file = await this.create(path)
    return {
      write: (text) => {
        this.#onPiece?.()
        return file.write(text)
      },
      end: async () => {
        const written = await file.end()
        this.#open.delete(file)
        await queue.settle()
        await this.linkWritten(path, written)
        await record(path, written)
      },
    }
  }

  async #add(path: string, bytes: Buffer, written: Written, record: Record): Promise<() => Promise<void>> {
    this.#folders.makeFor(path)
    const target = join(this.#folder, path)
    const isLinked = (await this.#previous?.linkBytes({ path, target }, written.sha256, bytes)) ?? false
    if (!isLinked) await this.#newFiles.write(target, bytes)
    this.#buffers.release(bytes)
    this.count(isLinked, { bytes: written.bytes })
    return () => record(path, written)
  }

  /** Links the file of the previous bag at this path without reading it. Returns whether it did. */
  linkUnread(path: string, bytes: number): boolean {
    this.#folders.makeFor(path)
    return this.#previous?.linkUnread({ path, target: `${this.#folder}/${path}` }, bytes) ?? false
  }

  /** Replaces a file that was written in pieces by a link if the previous bag holds it, now that its bytes are known. */
  async linkWritten(
    path: string,
    { bytes, sha256 }: Written,
    { mayHaveMoved } = { mayHaveMoved: true },
  ): Promise<void> {
    const file = { path, target: join(this.#folder, path) }
    this.count((await this.#previous?.linkWritten(file, mayHaveMoved ? sha256 : null)) ?? false, { bytes })
  }

  /** Counts files that are links, or new data. */
  count(isLinked: boolean, { bytes, files = 1 }: { readonly bytes: number; readonly files?: number }): void {
    const sum = isLinked ? this.#linked : this.#newData
    sum.bytes += bytes
    sum.files += files
  }

  /** Ends a file that `create` began. It is not looked for elsewhere in the previous bag. */
  async end(name: string, file: HashedFile): Promise<Written> {
    const written = await file.end()
    this.#open.delete(file)
    await this.linkWritten(name, written, { mayHaveMoved: false })
    return written
  }

  /** Writes a tag file. */
  async write(name: string, text: string): Promise<Written> {
    const bytes = Buffer.from(text)
    await this.#newFiles.write(join(this.#folder, name), bytes)
    const written = { bytes: bytes.length, sha256: hash('sha256', bytes) }
    await this.linkWritten(name, written, { mayHaveMoved: false })
    return written
  }

  /** Closes all files after a failure. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#open].map((file) => file.abandon()))
  }
}
