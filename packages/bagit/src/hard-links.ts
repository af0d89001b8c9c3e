import { constants, copyFileSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DigestIndex } from './digest-index.ts'
import { ByteComparer, type Identity } from './same-bytes.ts'

export const LINK_MODES = ['hard', 'reflink', 'none'] as const

/** How a file that is in the backup before comes into the next one: as a further name, as a clone, or written anew. */
export type LinkMode = (typeof LINK_MODES)[number]

/** A file of the bag being written. */
interface NewFile {
  /** Its path in the bag. */
  readonly path: string
  /** Where it is to stand, or stands. */
  readonly target: string
}

/** Beside a file that is to be replaced; no name of a payload begins with a dot. */
const STAND_IN = '.collab-export-shared'

/** What a file system that cannot share files at all answers; any other failure is of one file. */
const CANNOT: readonly string[] = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'ENOTTY', 'UNKNOWN']

/**
 * Shares files of the backup before. A file is shared only if its bytes, read anew, are those that would be written: damage
 * to the backup before stays there. It is looked for at its own path, then by its digest, as it may have been moved.
 */
export class Sharing {
  readonly #before: string
  readonly #mode: Exclude<LinkMode, 'none'>
  readonly #comparer = new ByteComparer()
  #index: Promise<DigestIndex | null> | null = null
  #shared = 0
  #refusal: string | null = null
  #standIns = 0

  /** `before` is the folder of a bag whose manifest is whole. */
  constructor(before: string, mode: Exclude<LinkMode, 'none'>) {
    this.#before = before
    this.#mode = mode
  }

  /** Why nothing could be shared, as the file system answered the first time; `null` while it can. */
  get refusal(): string | null {
    return this.#refusal
  }

  /** Puts a file with these bytes at the target, which is free. Whether there was one. */
  async bytes({ path, target }: NewFile, sha256: string, bytes: Buffer): Promise<boolean> {
    if (this.#refusal !== null) return false
    const holding = (candidate: string) => this.#comparer.holding(candidate, bytes)
    const same = join(this.#before, path)
    if (this.#put(same, holding(same), target)) return true
    const moved = await this.#moved(sha256, path)
    return moved !== null && this.#put(moved, holding(moved), target)
  }

  /** Replaces a file that was written by one of the same bytes. Whether there was one. */
  async written({ path, target }: NewFile, sha256: string | null): Promise<boolean> {
    if (this.#refusal !== null) return false
    this.#standIns += 1
    const standIn = join(dirname(target), `${STAND_IN}-${this.#standIns}`)
    for (const candidate of [join(this.#before, path), sha256 && (await this.#moved(sha256, path))]) {
      if (!candidate) continue
      const identity = await this.#comparer.holdingSame(candidate, target)
      if (!this.#put(candidate, identity, standIn)) continue
      renameSync(standIn, target)
      return true
    }
    return false
  }

  async close(): Promise<void> {
    ;(await this.#index)?.close()
  }

  /** Another file of the backup before with this digest. Its manifest is read when this is first asked for. */
  async #moved(sha256: string, path: string): Promise<string | null> {
    this.#index ??= DigestIndex.read(this.#before).catch(() => null) // it was there a moment ago; nothing is found in it then
    const found = (await this.#index)?.pathOf(sha256) ?? null
    return found === null || found === path ? null : join(this.#before, found)
  }

  #put(candidate: string, identity: Identity | null, target: string): boolean {
    if (identity === null || this.#refusal !== null) return false
    try {
      if (this.#mode === 'hard') linkSync(candidate, target)
      else copyFileSync(candidate, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    } catch (error) {
      this.#refuse(error)
      return false
    }
    if (this.#mode === 'hard' && !isSame(target, identity)) {
      rmSync(target) // somebody replaced it after it was read
      return false
    }
    this.#shared += 1
    return true
  }

  #refuse(error: unknown): void {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    if (code === null) throw error
    if (this.#shared === 0 && CANNOT.includes(code)) this.#refusal = code
  }
}

function isSame(path: string, { dev, ino }: Identity): boolean {
  const found = lstatSync(path)
  return found.dev === dev && found.ino === ino
}
