import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  FOLDER_MODE,
  type OnLeft,
  openTemporaryDirectory,
  removeStaleDirectories,
  type TemporaryDirectory,
} from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { archiveKeys, type DecryptFlags } from './decrypt-flags.ts'
import { type UnpackOptions, unpacked } from './unpacked.ts'

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

  /** @throws UsageError if another user made a directory of its name */
  open(): Promise<TemporaryDirectory> {
    this.#opening ??= openPrivate(this.#signal, this.#onLeft)
    return this.#opening
  }

  /**
   * Unpacks an archive here, and gives the directory of its backup; `null`: the name is not that of an archive.
   * @throws UsageError if keys were given for anything else; BagError if it is damaged, or cannot be opened
   */
  async unpack(named: string, keys: DecryptFlags, onProgress: UnpackOptions['onProgress']): Promise<string | null> {
    const archive = await archiveKeys(named, keys)
    if (archive === null) return null
    return await unpacked(named, (await this.open()).path, { ...archive, signal: this.#signal, onProgress })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opening?.catch(() => null)
    await opened?.[Symbol.asyncDispose]()
  }
}

async function openPrivate(signal: AbortSignal, onLeft: OnLeft | undefined): Promise<TemporaryDirectory> {
  const own = process.getuid?.()
  const directory = join(tmpdir(), own === undefined ? 'collab-unpacked' : `collab-unpacked-${own}`)
  await mkdir(directory, { mode: FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  // The system's directory belongs to all users: one of them may have made this one, or a link, to read what is put into it.
  const found = await lstat(directory)
  if (!found.isDirectory() || (own !== undefined && (found.uid !== own || (found.mode & 0o077) !== 0))) {
    throw new UsageError(`${directory} is not private to this user: remove it, or set TMPDIR to another directory`)
  }
  // Those of processes that were killed.
  await removeStaleDirectories(directory, { signal, ...(onLeft && { onLeft }) })
  return await openTemporaryDirectory(directory, onLeft)
}
