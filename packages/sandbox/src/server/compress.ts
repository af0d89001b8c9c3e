import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { Serialised } from '../store/serialised.ts'
import type { Answer } from './answer.ts'

/** Bodies below this many bytes gain nothing. */
const LEAST_BYTES = 1024

/** An answer as gzip, where the client takes it and it is worth it. */
export async function compressed(answer: Answer, acceptEncoding: unknown): Promise<Answer> {
  const accepted =
    typeof acceptEncoding === 'string' && /(^|[\s,])(gzip|\*)(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(acceptEncoding)
  if (!accepted || answer.body.bytes < LEAST_BYTES) return answer
  // The lowest level: a server on loopback has little to gain from a smaller body.
  const packed = Readable.from(answer.body.parts).pipe(createGzip({ level: 1, chunkSize: 256 * 1024 }))
  const parts: Buffer[] = []
  for await (const part of packed) parts.push(Buffer.from(part))
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' }
  return { ...answer, headers, body: new Serialised(parts) }
}
