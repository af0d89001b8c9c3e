import { createHash } from 'node:crypto'
import { constants, type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DamagedBagError } from './errors.ts'
import { type BagFile, guarded } from './named-files.ts'

/** Files up to this size are read whole, before a byte of them is handed on. */
const WHOLE_BYTES = 1 << 20

const CHUNK_BYTES = 256 * 1024

/** A link in the place of a file must not be followed to bytes that are elsewhere; a pipe must not be waited for. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** A file of a bag that is being read. */
export interface CheckedFile extends AsyncDisposable {
  readonly bytes: number
  /** The content; a large file as chunks, whose end throws if the whole was not what the manifest says. */
  readonly content: Buffer | AsyncIterable<Buffer>
}

/**
 * Opens a file of a bag, to be read once, and compares it with its manifest on the way.
 * @throws DamagedBagError
 */
export async function openChecked(bag: string, file: BagFile): Promise<CheckedFile> {
  const handle = await guarded(bag, file.path, () => open(join(bag, file.path), READ_FLAGS))
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw damaged(bag, file, 'is no longer a plain file')
    if (stats.size > WHOLE_BYTES) {
      const content = chunksOf(handle, bag, file, stats.size)
      return { bytes: stats.size, content, [Symbol.asyncDispose]: () => handle.close() }
    }
    const content = await guarded(bag, file.path, () => handle.readFile())
    await handle.close()
    if (createHash('sha256').update(content).digest('hex') !== file.sha256) throw damaged(bag, file, null)
    return { bytes: content.length, content, [Symbol.asyncDispose]: async () => {} }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function* chunksOf(
  handle: FileHandle,
  bag: string,
  file: BagFile,
  size: number,
): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256')
  let bytes = 0
  for (;;) {
    // A new buffer each time: the one before may still be on its way.
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    const { bytesRead } = await guarded(bag, file.path, () => handle.read(buffer, 0, CHUNK_BYTES, null))
    if (bytesRead === 0) break
    const chunk = buffer.subarray(0, bytesRead)
    hash.update(chunk)
    bytes += bytesRead
    if (bytes > size) break
    yield chunk
  }
  if (bytes !== size || hash.digest('hex') !== file.sha256) throw damaged(bag, file, null)
}

function damaged(bag: string, { path }: BagFile, detail: string | null): DamagedBagError {
  return new DamagedBagError(bag, { kind: 'changed', path, detail })
}
