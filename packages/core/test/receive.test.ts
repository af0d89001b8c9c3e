import { expect, test } from 'vitest'
import { receive } from '../src/http/receive.ts'

const CHUNK = Buffer.alloc(64 * 1024, 'x')

/** A body of so many chunks, and how many of them were asked for. */
function body(chunks: number, failure?: Error) {
  const asked = { chunks: 0 }
  const generate = async function* () {
    for (let number = 0; number < chunks; number++) {
      asked.chunks++
      yield CHUNK
    }
    if (failure !== undefined) throw failure
  }
  return { asked, chunks: generate() }
}

async function lengthOf(chunks: AsyncIterable<Buffer>): Promise<number> {
  let length = 0
  for await (const chunk of chunks) length += chunk.length
  return length
}

test('a small body is received before its first chunk is asked for', async () => {
  const { chunks } = body(3)
  let received = false
  const held = await receive(chunks, () => {
    received = true
  })
  expect(received).toBe(true)
  expect(await lengthOf(held)).toBe(3 * CHUNK.length)
})

test('a large body is not: only a part is buffered, and its end is not reported', async () => {
  const { chunks, asked } = body(100)
  const held = await receive(chunks, () => {
    throw new Error('received')
  })
  expect(asked.chunks).toBeLessThanOrEqual(4)
  expect(await lengthOf(held)).toBe(100 * CHUNK.length)
})

test.for([1, 10])(
  'a body that breaks after %i chunks breaks where they end; its end is not reported',
  async (whole) => {
    const { chunks } = body(whole, new Error('broken'))
    const held = await receive(chunks, () => {
      throw new Error('received')
    })
    let length = 0
    const reading = async () => {
      for await (const chunk of held) length += chunk.length
    }
    await expect(reading()).rejects.toThrow('broken')
    expect(length).toBe(whole * CHUNK.length)
  },
)
