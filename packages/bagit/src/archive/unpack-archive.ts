import { type FileHandle, open, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirectory } from '@collab-etl/lock'
import { BagError, DamagedBagError } from '../errors.ts'
import { BAG_FILES, bagInfoValue, type Oxum, PAYLOAD_FOLDER, parseOxum } from '../format.ts'
import { FILE_MODE, FOLDER_MODE } from '../hashed-file.ts'
import { BrokenArchive } from './member.ts'
import { type VerifyArchiveOptions, verifyArchive } from './verify-archive.ts'

export type UnpackOptions = Omit<VerifyArchiveOptions, 'pass'>

/** Space left on the disk for everything else. */
const LEFT_FREE_BYTES = 64 * 1024 * 1024

/** Bytes that all tag files together may have besides those of the payload: manifests, sizes, and the inputs of the files. */
const TAG_BYTES = 1024 * 1024 * 1024

/** bag-info.txt is short. */
const LONGEST_INFO_BYTES = 64 * 1024

/**
 * Unpacks an archive into an existing, empty folder, for its owner only, and checks it on the way as `verifyArchive` does. Links, paths that
 * lead elsewhere, and more content than bag-info.txt states are never written.
 * @throws DamagedBagError if any file differs from its manifest; the folder then has parts of the archive
 * @throws BagError `TOO_LARGE` before anything of the payload is written; otherwise as `verifyArchive`
 */
export async function unpackArchive(path: string, folder: string, options: UnpackOptions): Promise<void> {
  const unpacking = new Unpacking(path, folder)
  const report = await verifyArchive(path, { ...options, pass: (file, content) => unpacking.pass(file, content) })
  if (unpacking.failure !== undefined) throw unpacking.failure
  const [damage] = report.damage
  if (damage) throw new DamagedBagError(path, damage)
}

/** Writes the files of one archive, with limits on their sizes. */
class Unpacking {
  readonly #archive: string
  readonly #folder: string
  readonly #made = new Set<string>()
  /** Why a file could not be written: that is no damage of the archive. */
  failure: unknown
  #info = ''
  #allowed: Oxum | null = null
  #tagBytes = 0
  readonly #payload = { bytes: 0, files: 0 }

  constructor(archive: string, folder: string) {
    this.#archive = archive
    this.#folder = folder
  }

  async *pass(path: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const isPayload = path.startsWith(`${PAYLOAD_FOLDER}/`)
    if (isPayload) {
      this.#allowed ??= await this.#limit()
      this.#payload.files += 1
    }
    await using file = await this.#writing(() => this.#create(path))
    for await (const chunk of content) {
      this.#count(chunk.length, isPayload)
      if (path === BAG_FILES.info && this.#info.length < LONGEST_INFO_BYTES) this.#info += Buffer.from(chunk).toString()
      await this.#writing(() => file.writeFile(chunk))
      yield chunk
    }
  }

  #count(bytes: number, isPayload: boolean): void {
    if (!isPayload) {
      this.#tagBytes += bytes
      if (this.#tagBytes > TAG_BYTES) throw new BrokenArchive('has more than 1 GB of tag files')
      return
    }
    this.#payload.bytes += bytes
    const { bytes: most = 0, files = 0 } = this.#allowed ?? {}
    if (this.#payload.bytes <= most && this.#payload.files <= files) return
    throw new BrokenArchive(`holds more than the ${files} files and ${most} bytes that its ${BAG_FILES.info} states`)
  }

  /** What bag-info.txt states, if there is space for it. The tag files come first. */
  async #limit(): Promise<Oxum> {
    const stated = parseOxum(bagInfoValue(this.#info, 'Payload-Oxum') ?? '')
    if (stated === null) throw new BrokenArchive(`has no ${BAG_FILES.info} with a Payload-Oxum before its payload`)
    const { bavail, bsize } = await statfs(this.#folder)
    const needed = stated.bytes + LEFT_FREE_BYTES
    if (needed <= bavail * bsize) return stated
    const [most, free] = [needed, bavail * bsize].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
    throw new BagError(
      'TOO_LARGE',
      `${this.#archive} needs ${most} to be unpacked, and ${this.#folder} has ${free} free`,
    )
  }

  async #create(path: string): Promise<FileHandle> {
    const folder = dirname(path)
    if (!this.#made.has(folder)) makeDirectory(join(this.#folder, folder), FOLDER_MODE)
    this.#made.add(folder)
    return await open(join(this.#folder, path), 'wx', FILE_MODE)
  }

  async #writing<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      this.failure = error
      throw error
    }
  }
}
