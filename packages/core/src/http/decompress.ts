import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { CollabError } from '../errors/collab-error.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { codeOf } from './redact.ts'

const CHUNK_BYTES = 64 * 1024
/** JSON is compressed to between 1/5 and 1/20 of its size. A body beyond this ratio, and not small, is a decompression bomb. */
const MAX_RATIO = 500
const FREE_BYTES = 64 * 1024 * 1024

/**
 * Undoes a body's `content-encoding`, chunk by chunk.
 * @param header the header's value, `undefined` or empty for none
 * @throws DecodeError if the encoding is unknown, or the data is broken, ends early, or grows too much
 */
export function decompress(chunks: AsyncIterable<Buffer>, header: string | undefined): AsyncIterable<Buffer> {
  const encodings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const [encoding = '', ...more] = encodings.filter((name) => name !== '' && name !== 'identity')
  if (encoding === '') return chunks
  if (more.length === 0 && (encoding === 'gzip' || encoding === 'x-gzip')) {
    return through(chunks, createGunzip({ chunkSize: CHUNK_BYTES }))
  }
  if (more.length === 0 && encoding === 'br') return through(chunks, createBrotliDecompress({ chunkSize: CHUNK_BYTES }))
  throw new DecodeError({ problem: 'invalid_json', what: 'it is compressed in a way that was not requested' })
}

async function* through(
  chunks: AsyncIterable<Buffer>,
  decompressor: ReturnType<typeof createGunzip | typeof createBrotliDecompress>,
): AsyncGenerator<Buffer> {
  let received = 0
  let made = 0
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      received += chunk.length
      yield chunk
    }
  }
  const fed = pipeline(counted(), decompressor)
  // Its failure reaches the reader through the decompressor, which it destroys.
  fed.catch(() => {})
  try {
    for await (const chunk of decompressor) {
      made += chunk.length
      if (made > FREE_BYTES && made > MAX_RATIO * received) {
        throw new DecodeError({ problem: 'too_large', what: `it grows more than ${MAX_RATIO} times when decompressed` })
      }
      yield chunk
    }
  } catch (error) {
    if (error instanceof CollabError) throw error
    const truncated = codeOf(error) === 'Z_BUF_ERROR'
    throw new DecodeError({
      problem: truncated ? 'truncated' : 'invalid_json',
      what: truncated ? 'its compressed data ends early' : 'its compressed data is broken',
      byte: made,
    })
  }
}
