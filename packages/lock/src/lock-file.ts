import { type BigIntStats, constants, readFileSync, statSync } from 'node:fs'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { keepOwner } from './keep-owner.ts'
import { formatOwner, LockError, type Owner, parseOwner, RECORD_BYTES } from './owner.ts'

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** An open lock file. Other processes may remove or replace it at any time; `isCurrent` checks whether the path still leads to it. */
export class LockFile {
  readonly path: string
  readonly #handle: FileHandle
  readonly #identity: BigIntStats
  /** Whether `open` created the file. */
  readonly isNew: boolean

  private constructor(path: string, handle: FileHandle, identity: BigIntStats, isNew: boolean) {
    this.path = path
    this.#handle = handle
    this.#identity = identity
    this.isNew = isNew
  }

  /** Opens the file, or creates it. Rejects symbolic links, because the target may belong to another program. */
  static async open(path: string): Promise<LockFile> {
    for (let tries = 0; tries < 100; tries++) {
      const made = await openOr(path, O_CREAT | O_EXCL, 'EEXIST')
      const handle = made ?? (await openOr(path, 0, 'ENOENT'))
      if (handle === null) continue // removed in between
      if (made !== null) keepOwner(path)
      return await LockFile.checked(path, handle, made !== null)
    }
    throw new LockError('HELD', `${path} is created and removed repeatedly by other processes; try again`)
  }

  private static async checked(path: string, handle: FileHandle, isNew: boolean): Promise<LockFile> {
    try {
      const identity = await handle.stat({ bigint: true })
      if (!identity.isFile()) throw notAFile(path)
      return new LockFile(path, handle, identity, isNew)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  get fd(): number {
    return this.#handle.fd
  }

  async isCurrent(): Promise<boolean> {
    const found = await stat(this.path, { bigint: true }).catch(() => null)
    return found !== null && this.#isSame(found)
  }

  /** Whether the path still leads to this file and its record still has this `token`. */
  isOwn(token: string): boolean {
    try {
      if (!this.#isSame(statSync(this.path, { bigint: true }))) return false
    } catch {
      return false
    }
    try {
      return parseOwner(readFileSync(this.path, 'utf8'))?.token === token
    } catch {
      // for example no file descriptor is left; the file is the same, and only a host without file locks could have changed it
      return true
    }
  }

  /** Reads the record through a new descriptor: network file systems revalidate a file only when it is opened. */
  async read(): Promise<{ text: string; owner: Owner | null; changed: string }> {
    const handle = await open(this.path, 'r')
    try {
      const { ino, mtimeNs, size } = await handle.stat({ bigint: true })
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(RECORD_BYTES), 0, RECORD_BYTES, 0)
      const text = buffer.toString('utf8', 0, bytesRead).trim()
      return { text, owner: parseOwner(text), changed: `${ino} ${mtimeNs} ${size} ${text}` }
    } finally {
      await handle.close()
    }
  }

  async write(owner: Owner): Promise<void> {
    await this.#handle.write(formatOwner(owner), 0, RECORD_BYTES, 0)
    await this.#handle.truncate(RECORD_BYTES)
    await this.#handle.datasync()
  }

  async remove(): Promise<void> {
    if (await this.isCurrent()) await rm(this.path, { force: true })
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  #isSame({ dev, ino }: BigIntStats): boolean {
    return dev === this.#identity.dev && ino === this.#identity.ino
  }
}

/** Returns `null` if opening fails with `code`. `O_NONBLOCK` makes a FIFO fail instead of blocking. */
async function openOr(path: string, flags: number, code: 'EEXIST' | 'ENOENT'): Promise<FileHandle | null> {
  try {
    return await open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | flags, 0o600)
  } catch (error) {
    const found = error instanceof Error && 'code' in error ? error.code : undefined
    if (found === code) return null
    if (found === 'EISDIR' || found === 'ELOOP' || found === 'ENXIO') throw notAFile(path)
    throw error
  }
}

function notAFile(path: string): LockError {
  return new LockError('NOT_A_FILE', `${path} is not a regular file; move it away and run again`)
}
