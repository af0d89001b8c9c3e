import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Answer } from '../answers/answer.ts'
import { Serialised } from '../store/serialised.ts'

/** Smaller bodies are not compressed, in bytes. */
const LEAST_BYTES = 1024

/** Compresses an answer with gzip, if the client accepts it and the body is large enough. */
export async function compressed(answer: Answer, acceptEncoding: unknown): Promise<Answer> {
  const accepted =
    typeof acceptEncoding === 'string' && /(^|[\s,])(gzip|\*)(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(acceptEncoding)
  if (!accepted || answer.body.bytes < LEAST_BYTES) return answer
  // Lowest level: on loopback a smaller body gains little.
  const packed = Readable.from(answer.body.parts).pipe(createGzip({ level: 1, chunkSize: 256 * 1024 }))
  const parts: Buffer[] = []
  for await (const part of packed) parts.push(Buffer.from(part))
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' }
  return { ...answer, headers, body: new Serialised(parts) }
}
