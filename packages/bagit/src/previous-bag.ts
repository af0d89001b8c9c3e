import { constants, copyFileSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FileChecker } from './check-file.ts'
import { DigestIndex } from './digest-index.ts'
import { BAG_FILES } from './format.ts'
import { openPlainFile } from './plain-file.ts'
import { ByteComparer, type Identity, isOursAlone } from './same-bytes.ts'

/** The values of `LinkMode`. */
export const LINK_MODES = ['hard', 'reflink', 'none'] as const

/** What happens to a file that the previous bag holds too: it is hard-linked, cloned, or written again. */
export type LinkMode = (typeof LINK_MODES)[number]

/** A file of the bag being written. */
interface NewFile {
  /** Its path in the bag. */
  readonly path: string
  /** Its path in the file system. */
  readonly target: string
}

/** Name of a link beside the file that it is to replace; no payload file's name begins with a dot. */
const LINK_NAME = '.collab-export-shared'

/** Errors of file systems that cannot link files at all; any other error concerns one file. */
const UNSUPPORTED: readonly string[] = [
  'EXDEV',
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
  'ENOTTY',
  'UNKNOWN',
]

/**
 * Links files of the previous bag. A file whose bytes are known is linked only if its own bytes, which are read again, are the same:
 * damage is not carried over. It is looked for at its own path, then by its digest, as it may have been moved.
 */
export class PreviousBag {
  readonly folder: string
  readonly mode: Exclude<LinkMode, 'none'>
  readonly #comparer = new ByteComparer()
  #index: Promise<DigestIndex | null> | null = null
  #linked = 0
  #refusal: string | null = null
  #links = 0
  /** When the last file of the bag was written, in milliseconds. */
  #finishedAt: number | undefined

  /** `folder` is that of a bag whose manifest is intact. */
  constructor(folder: string, mode: Exclude<LinkMode, 'none'>) {
    this.folder = folder
    this.mode = mode
  }

  /** The error code with which the file system refused the first link; `null` if files can be linked. */
  get refusal(): string | null {
    return this.#refusal
  }

  /** Links a file with these bytes to the target, which must not exist. Returns whether there was one. */
  async linkBytes({ path, target }: NewFile, sha256: string, bytes: Buffer): Promise<boolean> {
    if (this.#refusal !== null) return false
    const holding = (candidate: string) => this.#comparer.holding(candidate, bytes)
    const same = join(this.folder, path)
    if (this.#put(same, holding(same), target)) return true
    const moved = await this.#moved(sha256, path)
    return moved !== null && this.#put(moved, holding(moved), target)
  }

  /** Replaces a written file by a link to one with the same bytes. Returns whether there was one. */
  async linkWritten({ path, target }: NewFile, sha256: string | null): Promise<boolean> {
    if (this.#refusal !== null) return false
    this.#links += 1
    const link = join(dirname(target), `${LINK_NAME}-${this.#links}`)
    const replace = async (candidate: string | null) => {
      if (candidate === null) return false
      if (!this.#put(candidate, await this.#comparer.holdingSame(candidate, target), link)) return false
      renameSync(link, target)
      return true
    }
    if (await replace(join(this.folder, path))) return true
    return sha256 !== null && (await replace(await this.#moved(sha256, path)))
  }

  /**
   * Links the file at a path without reading it, if it has the recorded size and was not modified after the bag was finished. Damage that
   * changes neither its size nor its modification time is not detected.
   */
  linkUnread({ path, target }: NewFile, bytes: number): boolean {
    if (this.#refusal !== null) return false
    const candidate = `${this.folder}/${path}` // `join` takes as long as reading the file's attributes
    try {
      if (this.mode === 'hard') linkSync(candidate, target)
      else if (this.#isUntouched(candidate, bytes)) {
        copyFileSync(candidate, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
      } else return false
    } catch (error) {
      this.#refuse(error)
      return false
    }
    // The link itself is checked, so that no process can replace the file in between.
    if (this.mode === 'hard' && !this.#isUntouched(target, bytes)) {
      rmSync(target)
      return false
    }
    this.#linked += 1
    return true
  }

  /** Opens a file from which parts are copied, after comparing every byte with its digest; `null` if it is not intact. */
  async openIntact(path: string, sha256: string): Promise<number | null> {
    const { damage } = await new FileChecker(this.folder).checkContent(path, { sha256, bytes: null })
    return damage === null ? (openPlainFile(join(this.folder, path))?.file ?? null) : null
  }

  async close(): Promise<void> {
    ;(await this.#index)?.close()
  }

  /** Another file of the previous bag with this digest. Its manifest is read on the first call. */
  async #moved(sha256: string, path: string): Promise<string | null> {
    this.#index ??= DigestIndex.read(this.folder).catch(() => null) // without the manifest, files are looked for at their own paths only
    const found = (await this.#index)?.pathOf(sha256) ?? null
    return found === null || found === path ? null : join(this.folder, found)
  }

  #put(candidate: string, identity: Identity | null, target: string): boolean {
    if (identity === null || this.#refusal !== null) return false
    try {
      if (this.mode === 'hard') linkSync(candidate, target)
      else copyFileSync(candidate, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    } catch (error) {
      this.#refuse(error)
      return false
    }
    if (this.mode === 'hard' && !isSame(target, identity)) {
      rmSync(target) // another process replaced it after it was read
      return false
    }
    this.#linked += 1
    return true
  }

  #isUntouched(path: string, bytes: number): boolean {
    // The bag may be removed meanwhile: then nothing of it is taken.
    this.#finishedAt ??= lstatSync(join(this.folder, BAG_FILES.tagManifest), { throwIfNoEntry: false })?.mtimeMs ?? 0
    const found = lstatSync(path)
    return found.isFile() && found.size === bytes && found.mtimeMs <= this.#finishedAt && isOursAlone(found)
  }

  #refuse(error: unknown): void {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    if (code === null) throw error
    if (this.#linked === 0 && UNSUPPORTED.includes(code)) this.#refusal = code
  }
}

function isSame(path: string, { dev, ino }: Identity): boolean {
  const found = lstatSync(path)
  return found.dev === dev && found.ino === ino
}
