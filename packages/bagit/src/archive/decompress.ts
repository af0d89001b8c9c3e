import { crc32, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { ByteReader } from './byte-reader.ts'
import { BrokenArchive } from './member.ts'

/** A decompressor; `zlib` counts the bytes that it consumed. */
type Decompressor = ReturnType<typeof createInflateRaw> | ReturnType<typeof createZstdDecompress>

/** CRC-32 and length of what was compressed, at the end of a gzip member. */
const GZIP_TRAILER_BYTES = 8

const GZIP_NAME_FLAG = 0x08

const LONGEST_GZIP_NAME = 4096

/**
 * Decompresses exactly one gzip member: programs differ in how they treat a second one, and bytes after it.
 * @throws BrokenArchive
 */
export async function* gunzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const bytes = new ByteReader(source)
  const header = await bytes.take(10)
  const flags = header[3] ?? 0
  if (header[2] !== 8 || (flags & ~GZIP_NAME_FLAG) !== 0)
    throw new BrokenArchive('has a gzip header with unknown parts')
  if (flags !== 0) {
    for (let length = 0; (await bytes.take(1))[0] !== 0; length++) {
      if (length > LONGEST_GZIP_NAME) throw new BrokenArchive('has a gzip header with a name that is too long')
    }
  }
  let sum = 0
  let size = 0
  const chunks = oneStream(createInflateRaw(), bytes.rest(), GZIP_TRAILER_BYTES)
  for (;;) {
    const { value, done } = await chunks.next()
    if (done) {
      if (value.readUInt32LE(0) === sum && value.readUInt32LE(4) === size) return
      throw new BrokenArchive('does not match its gzip checksum')
    }
    sum = crc32(value, sum)
    size = (size + value.length) % 2 ** 32
    yield value
  }
}

/** Decompresses exactly one zstd frame. */
export function zstdDecompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, Buffer, undefined> {
  return oneStream(createZstdDecompress(), source, 0)
}

/** Inflates data that must end where its source ends. */
export function inflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, Buffer, undefined> {
  return oneStream(createInflateRaw(), source, 0)
}

/**
 * Decompresses one stream, which must end `trailerBytes` before the end of its source.
 * @returns these last bytes
 */
async function* oneStream(
  decompressor: Decompressor,
  source: AsyncIterable<Uint8Array>,
  trailerBytes: number,
): AsyncGenerator<Buffer, Buffer, undefined> {
  const feeding = feed(decompressor, source, trailerBytes)
  feeding.catch((error) => decompressor.destroy(error))
  try {
    for await (const chunk of decompressor) yield chunk
  } finally {
    decompressor.destroy()
  }
  const { total, trailer } = await feeding
  const left = total - decompressor.bytesWritten
  if (left === trailerBytes) return trailer
  throw new BrokenArchive(
    left < trailerBytes ? 'ends too early' : `has ${left - trailerBytes} bytes after its compressed data`,
  )
}

/** Feeds a source to a decompressor until the compressed data ends, then reads the rest of the source. */
async function feed(decompressor: Decompressor, source: AsyncIterable<Uint8Array>, trailerBytes: number) {
  let total = 0
  let trailer = Buffer.alloc(0)
  for await (const chunk of source) {
    total += chunk.length
    trailer = Buffer.concat([trailer, chunk.subarray(Math.max(0, chunk.length - trailerBytes))])
    trailer = trailer.subarray(Math.max(0, trailer.length - trailerBytes))
    if (decompressor.destroyed) continue
    await new Promise<void>((resolve) => decompressor.write(chunk, () => resolve())) // fails once it is destroyed
  }
  if (!decompressor.destroyed) decompressor.end()
  return { total, trailer }
}
