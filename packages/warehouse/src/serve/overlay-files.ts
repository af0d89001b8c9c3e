import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BaseFilesystem, type FsStats } from '@electric-sql/pglite/basefs'
import { BLOCK_BYTES, OverlayFile, Spill } from './overlay-file.ts'

/** Emscripten's numbers for the errors of a file system. */
const ERRORS: Readonly<Record<string, number>> = {
  ...{ EBADF: 8, EEXIST: 20, EINVAL: 28, EIO: 29, EISDIR: 31, EMFILE: 33, ENOENT: 44, ENOSPC: 51, ENOTDIR: 54 },
  ENOTEMPTY: 55,
}

/** An error of the file system in the form that Emscripten expects. */
class FileError extends Error {
  readonly code: number

  constructor(name: string, options?: ErrorOptions) {
    super(name, options)
    this.code = ERRORS[name] ?? 29
  }
}

type Directory = Map<string, Directory | OverlayFile>

/**
 * The files of a database, which are only read, and on top of them what one session writes. Many sessions use the same database. No session
 * changes it or sees what another one writes.
 */
export class OverlayFiles extends BaseFilesystem {
  readonly #spill: Spill
  readonly #root: Directory
  readonly #open = new Map<number, OverlayFile>()
  #last = 0

  /** @param directory of a database that no process writes to @param spill path of a file to make for what is written */
  constructor(directory: string, spill: string) {
    super()
    this.#spill = new Spill(spill)
    this.#root = this.#scan(directory)
  }

  /** Bytes on disk that the session takes, until it ends. */
  get spilledBytes(): number {
    return this.#spill.bytes
  }

  #scan(path: string): Directory {
    const directory: Directory = new Map()
    for (const { name } of readdirSync(path, { withFileTypes: true })) {
      const below = join(path, name)
      const stats = statSync(below)
      directory.set(name, stats.isDirectory() ? this.#scan(below) : new OverlayFile(this.#spill, below, stats.size))
    }
    return directory
  }

  override lstat(path: string): FsStats {
    return statsOf(this.#find(path))
  }

  override fstat(descriptor: number): FsStats {
    return statsOf(this.#opened(descriptor))
  }

  override open(path: string): number {
    const file = this.#file(path)
    attempt(() => file.open())
    this.#open.set(++this.#last, file)
    return this.#last
  }

  override close(descriptor: number): void {
    const file = this.#opened(descriptor)
    this.#open.delete(descriptor)
    attempt(() => file.close())
  }

  override read(descriptor: number, { buffer }: Uint8Array, offset: number, length: number, position: number): number {
    return attempt(() => this.#opened(descriptor).read(new Uint8Array(buffer, offset, length), position))
  }

  // PGlite passes the buffer itself
  override write(descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
    const buffer: ArrayBufferLike = 'buffer' in bytes ? bytes.buffer : bytes
    return attempt(() => this.#opened(descriptor).write(new Uint8Array(buffer, offset, length), position))
  }

  override truncate(path: string, size: number): void {
    const file = this.#file(path)
    attempt(() => file.truncate(size))
  }

  override writeFile(path: string, data: string | Uint8Array): void {
    const [parent, name] = this.#place(path)
    const file = new OverlayFile(this.#spill, null, 0)
    attempt(() => file.write(Buffer.from(data), 0))
    parent.set(name, file)
  }

  override mkdir(path: string): void {
    const [parent, name] = this.#place(path)
    if (parent.has(name)) throw new FileError('EEXIST')
    parent.set(name, new Map())
  }

  override readdir(path: string): string[] {
    const found = this.#find(path)
    if (found instanceof OverlayFile) throw new FileError('ENOTDIR')
    return ['.', '..', ...found.keys()]
  }

  override rename(from: string, to: string): void {
    const moved = this.#find(from)
    const [[oldParent, oldName], [parent, name]] = [this.#place(from), this.#place(to)]
    const replaced = parent.get(name)
    oldParent.delete(oldName)
    parent.set(name, moved)
    if (replaced instanceof OverlayFile && replaced !== moved) attempt(() => replaced.remove())
  }

  override unlink(path: string): void {
    const file = this.#file(path)
    const [parent, name] = this.#place(path)
    parent.delete(name)
    attempt(() => file.remove())
  }

  override rmdir(path: string): void {
    const found = this.#find(path)
    if (found instanceof OverlayFile) throw new FileError('ENOTDIR')
    if (found.size > 0) throw new FileError('ENOTEMPTY')
    const [parent, name] = this.#place(path)
    parent.delete(name)
  }

  override chmod(): void {}

  override utimes(): void {}

  #opened(descriptor: number): OverlayFile {
    const file = this.#open.get(descriptor)
    if (file === undefined) throw new FileError('EBADF')
    return file
  }

  #file(path: string): OverlayFile {
    const found = this.#find(path)
    if (!(found instanceof OverlayFile)) throw new FileError('EISDIR')
    return found
  }

  #find(path: string): Directory | OverlayFile {
    let found: Directory | OverlayFile | undefined = this.#root
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (found instanceof OverlayFile) throw new FileError('ENOTDIR')
      found = found.get(name)
      if (found === undefined) throw new FileError('ENOENT')
    }
    return found
  }

  /** The directory of a path, and the name in it. */
  #place(path: string): [Directory, string] {
    const at = path.lastIndexOf('/')
    const parent = this.#find(path.slice(0, at))
    if (parent instanceof OverlayFile) throw new FileError('ENOTDIR')
    return [parent, path.slice(at + 1)]
  }
}

function statsOf(found: Directory | OverlayFile): FsStats {
  const [size, time, mode] =
    found instanceof OverlayFile ? [found.size, found.modified, 0o100_600] : [0, Date.now(), 0o040_700]
  const nodes = { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0 }
  return {
    ...nodes,
    mode,
    size,
    blksize: BLOCK_BYTES,
    blocks: Math.ceil(size / 512),
    atime: time,
    mtime: time,
    ctime: time,
  }
}

/** @throws FileError instead of the error of Node */
function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const name = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO'
    throw error instanceof FileError ? error : new FileError(name, { cause: error })
  }
}
