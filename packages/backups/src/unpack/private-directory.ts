import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BagError,
  FOLDER_MODE,
  type OnLeft,
  openTemporaryDirectory,
  removeStaleDirectories,
  type TemporaryDirectory,
} from '@collab-etl/bagit'
import { unpackArchive } from '@collab-etl/bagit/archive'
import { UsageError } from '@collab-etl/cli'
import { isDiskFull } from '@collab-etl/lock'
import { archiveKeys, type DecryptFlags } from './decrypt-flags.ts'

/** `total` is 0 while it is unknown. */
type OnUnpacked = (done: number, total: number) => void

/**
 * A temporary directory that only its owner can read, in the system's directory for temporary files. It is made when it is needed, and removed
 * when disposed of: it may hold a decrypted backup.
 */
export class PrivateDirectory implements AsyncDisposable {
  #opening: Promise<TemporaryDirectory> | null = null
  readonly #signal: AbortSignal
  readonly #onLeft: OnLeft | undefined

  constructor(signal: AbortSignal, onLeft?: OnLeft) {
    this.#signal = signal
    this.#onLeft = onLeft
  }

  /** Removes what processes that were killed left in the directories of this user. */
  static async removeStale(signal: AbortSignal, onLeft: OnLeft): Promise<void> {
    const directory = privateDirectory()
    if (await isPrivate(directory).catch(() => false)) await removeStaleDirectories(directory, { signal, onLeft })
  }

  /** @throws UsageError if another user made a directory of its name */
  open(): Promise<TemporaryDirectory> {
    this.#opening ??= openPrivate(this.#signal, this.#onLeft)
    return this.#opening
  }

  /**
   * Unpacks an archive here, and gives the directory of its backup; `null`: the name is not that of an archive.
   * @throws UsageError if keys were given for anything else; BagError if it is damaged or cannot be opened, or if there is no space for it
   */
  async unpack(named: string, keys: DecryptFlags, onProgress: OnUnpacked): Promise<string | null> {
    const archive = await archiveKeys(named, keys)
    if (archive === null) return null
    try {
      const folder = join((await this.open()).path, 'archive')
      await mkdir(folder, { mode: FOLDER_MODE })
      await unpackArchive(named, folder, { ...archive, signal: this.#signal, onProgress })
      return folder
    } catch (error) {
      if (!isDiskFull(error)) throw error
      throw new BagError('TOO_LARGE', `${named} cannot be unpacked: the disk of ${tmpdir()} is full`, { cause: error })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opening?.catch(() => null)
    await opened?.[Symbol.asyncDispose]()
  }
}

function privateDirectory(): string {
  const own = process.getuid?.()
  return join(tmpdir(), own === undefined ? 'collab-unpacked' : `collab-unpacked-${own}`)
}

/** The system's directory belongs to all users: one of them may have made this one, or a link, to read what is put into it. */
async function isPrivate(directory: string): Promise<boolean> {
  const own = process.getuid?.()
  const found = await lstat(directory)
  return found.isDirectory() && (own === undefined || (found.uid === own && (found.mode & 0o077) === 0))
}

async function openPrivate(signal: AbortSignal, onLeft: OnLeft | undefined): Promise<TemporaryDirectory> {
  const directory = privateDirectory()
  await mkdir(directory, { mode: FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  if (!(await isPrivate(directory)))
    throw new UsageError(`${directory} is not private to this user: remove it, or set TMPDIR to another directory`)
  await removeStaleDirectories(directory, { signal, ...(onLeft && { onLeft }) })
  return await openTemporaryDirectory(directory, onLeft)
}
