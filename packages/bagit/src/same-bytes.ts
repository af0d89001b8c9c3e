import { closeSync, readSync, type Stats } from 'node:fs'
import { CHUNK_BYTES, openPlainFile, type PlainFile, readFull } from './plain-file.ts'

/** Permissions of everyone but the owner. */
const OTHERS = 0o077

/** Windows has neither users of files nor these permissions. */
const USER = process.geteuid?.()

/** What distinguishes a file from a later one at the same path. */
export interface Identity {
  readonly dev: number
  readonly ino: number
}

/** Finds files with given bytes by reading them: for a damaged file, the manifest is wrong. */
export class ByteComparer {
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)

  /** The file, if it holds exactly these bytes. Synchronous: asynchronous reads take ten times as long. */
  holding(path: string, bytes: Buffer): Identity | null {
    return withFile(path, (file, stats) => {
      if (stats.size !== bytes.length) return null
      for (let at = 0; at < bytes.length; ) {
        const read = readSync(file, this.#buffer, 0, CHUNK_BYTES, null)
        if (read === 0 || this.#buffer.compare(bytes, at, at + read, 0, read) !== 0) return null
        at += read
      }
      return identityOf(stats)
    })
  }

  /** The first file, if it holds the same bytes as the second. */
  async holdingSame(path: string, written: string): Promise<Identity | null> {
    const found = openPlain(path)
    if (found === null) return null
    const other = openPlainFile(written)
    try {
      const { size } = found.stats
      if (other?.stats.size !== size) return null
      return (await areSame(found.file, other.file, Math.min(size + 1, CHUNK_BYTES))) ? identityOf(found.stats) : null
    } catch (error) {
      return noneIfUnreadable(error)
    } finally {
      closeSync(found.file)
      if (other) closeSync(other.file)
    }
  }
}

function withFile(path: string, action: (file: number, stats: Stats) => Identity | null): Identity | null {
  const found = openPlain(path)
  if (found === null) return null
  try {
    return action(found.file, found.stats)
  } catch (error) {
    return noneIfUnreadable(error)
  } finally {
    closeSync(found.file)
  }
}

/** A plain file that only its owner can access, who runs this process: another one would keep its own rights. */
function openPlain(path: string): PlainFile | null {
  try {
    const opened = openPlainFile(path)
    if (opened === null || isOursAlone(opened.stats)) return opened
    closeSync(opened.file)
    return null
  } catch (error) {
    return noneIfUnreadable(error)
  }
}

/** Whether only the user who runs this process can access a file; if that is root, only its owner, who keeps what root writes. */
export function isOursAlone({ mode, uid }: Stats): boolean {
  return USER === undefined || ((uid === USER || USER === 0) && (mode & OTHERS) === 0)
}

async function areSame(a: number, b: number, chunkBytes: number): Promise<boolean> {
  const [left, right] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]
  for (;;) {
    const [inLeft, inRight] = [await readFull(a, left), await readFull(b, right)]
    if (inLeft !== inRight || left.compare(right, 0, inRight, 0, inLeft) !== 0) return false
    if (inLeft === 0) return true
  }
}

function identityOf({ dev, ino }: Stats): Identity {
  return { dev, ino }
}

/** A file that cannot be read counts as missing: the new backup writes its own. */
function noneIfUnreadable(error: unknown): null {
  if (error instanceof Error && 'syscall' in error) return null
  throw error
}
