import { createHash } from 'node:crypto'
import { closeSync, createReadStream, fsyncSync, openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

export interface FileDigest {
  readonly bytes: number
  readonly sha256: string
}

/** Rows are gathered up to this size: a write of each would cost more than the row. */
const BUFFER_BYTES = 1024 * 1024

/** Writes a file from many small pieces, at once and in order. It hashes them on the way. */
export class HashedFile {
  readonly #fd: number
  readonly #hash = createHash('sha256')
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #used = 0
  #bytes = 0

  /** @param path of a file that does not exist */
  constructor(path: string) {
    this.#fd = openSync(path, 'wx')
  }

  write(piece: Uint8Array): void {
    if (this.#used + piece.length > BUFFER_BYTES) this.#flush()
    if (piece.length > BUFFER_BYTES) this.#put(piece)
    else {
      this.#buffer.set(piece, this.#used)
      this.#used += piece.length
    }
  }

  /** Ends the file, which survives a crash of the machine from then on. */
  end(): FileDigest {
    this.#flush()
    fsyncSync(this.#fd)
    this.close()
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  close(): void {
    closeSync(this.#fd)
  }

  #flush(): void {
    this.#put(this.#buffer.subarray(0, this.#used))
    this.#used = 0
  }

  #put(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
    this.#hash.update(bytes)
    this.#bytes += bytes.length
  }
}

/** Size and hash of a file that another program wrote, which survives a crash of the machine from then on. */
export async function digestFile(path: string): Promise<FileDigest> {
  const hash = createHash('sha256')
  await using file = await open(path, 'r+')
  await file.sync()
  const { size } = await file.stat()
  await pipeline(createReadStream(path), hash)
  return { bytes: size, sha256: hash.digest('hex') }
}
