import { randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decompress } from '../src/http/decompress.ts'
import { collect, rejection } from './helpers/server.ts'

const text = Buffer.from('[1,2,3]')

async function* chunksOf(...chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}
const undone = async (header: string | undefined, ...chunks: Buffer[]) =>
  Buffer.concat(await collect(decompress(chunksOf(...chunks), header)))

describe('encodings', () => {
  test.each([
    [undefined, text],
    ['', text],
    ['identity', text],
    [' , identity', text],
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['identity, GZip ', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['Br,identity', brotliCompressSync(text)],
  ])('%j is undone', async (header, body) => {
    expect(await undone(header, body)).toEqual(text)
  })

  test.each(['deflate', 'gzip, gzip', 'gzip, br', 'br, gzip', 'br,br', 'gzipped'])('%j was not requested', (header) => {
    expect(() => decompress(chunksOf(text), header)).toThrow('it is compressed in a way that was not requested')
  })
})

describe('what grows', () => {
  const MIB = 1024 * 1024

  test('a thousand times, but is small: it may', async () => {
    expect(await undone('gzip', gzipSync(Buffer.alloc(4 * MIB, ' ')))).toHaveLength(4 * MIB)
  })

  test('to much, but a few times only: it may', async () => {
    // two bytes of the alphabet in a row that never comes again are three times as many
    const part = gzipSync(randomBytes(MIB / 2).toString('hex'), { level: 1 })
    const chunks = Array.from({ length: 66 }, () => part)
    let length = 0
    for await (const chunk of decompress(chunksOf(...chunks), 'gzip')) length += chunk.length
    expect(length).toBe(66 * MIB)
  })

  test('to much, and a thousand times: it is a bomb', async () => {
    const part = gzipSync(Buffer.alloc(8 * MIB, ' '))
    const error = await rejection(undone('gzip', ...Array.from({ length: 9 }, () => part)))
    expect(error).toMatchObject({ problem: 'too_large' })
    expect(String(error)).toContain('it grows more than 500 times when decompressed')
  })
})

test.each([
  ['ends early', gzipSync(text).subarray(0, -1), 'truncated', 'its compressed data ends early'],
  ['is broken', Buffer.from('no gzip'), 'invalid_json', 'its compressed data is broken'],
])('data that %s', async (_, body, problem, message) => {
  const error = await rejection(undone('gzip', body))
  expect(error).toMatchObject({ problem, message: expect.stringContaining(message) })
})
