import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'

/** Memory of one comparison. */
const CHUNK_BYTES = 256 * 1024

/** A link in the place of a file must not be followed to bytes that are elsewhere; a pipe must not be waited for. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Rights of anybody but the owner. */
const OTHERS = 0o077

const readAsync = promisify(read)

/** What tells a file from any other that stands at the same path later. */
export interface Identity {
  readonly dev: number
  readonly ino: number
}

/** Finds files that hold bytes, by reading them: what a manifest says of a damaged file is of no use here. */
export class ByteComparer {
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)

  /** The file, if it holds exactly these bytes. Without giving way: this is a tenth of what asking in turns takes. */
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
    const other = openSync(written, READ_FLAGS)
    try {
      const { size } = found.stats
      if (fstatSync(other).size !== size) return null
      return (await areSame(found.file, other, Math.min(size + 1, CHUNK_BYTES))) ? identityOf(found.stats) : null
    } catch (error) {
      return noneIfUnreadable(error)
    } finally {
      closeSync(found.file)
      closeSync(other)
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

/** A plain file that is for its owner only, who is whoever runs this: any other would bring its rights along. */
function openPlain(path: string): { file: number; stats: Stats } | null {
  let file: number
  try {
    file = openSync(path, READ_FLAGS)
  } catch (error) {
    return noneIfUnreadable(error)
  }
  const stats = fstatSync(file)
  if (stats.isFile() && isOursAlone(stats)) return { file, stats }
  closeSync(file)
  return null
}

function isOursAlone({ mode, uid }: Stats): boolean {
  const user = process.geteuid?.()
  return user === undefined || (uid === user && (mode & OTHERS) === 0) // Windows knows neither
}

async function areSame(a: number, b: number, chunkBytes: number): Promise<boolean> {
  const [left, right] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]
  for (;;) {
    const [inLeft, inRight] = [await readFull(a, left), await readFull(b, right)]
    if (inLeft !== inRight || left.compare(right, 0, inRight, 0, inLeft) !== 0) return false
    if (inLeft === 0) return true
  }
}

/** Fills the buffer, unless the file ends first. */
async function readFull(file: number, buffer: Buffer): Promise<number> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await readAsync(file, buffer, filled, buffer.length - filled, null)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

function identityOf({ dev, ino }: Stats): Identity {
  return { dev, ino }
}

/** A file that cannot be read is as good as none: the backup being made writes its own. */
function noneIfUnreadable(error: unknown): null {
  if (error instanceof Error && 'syscall' in error) return null
  throw error
}
