import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FreeBuffers } from '../src/free-buffers.ts'

/** Texts of all lengths around that of a buffer, with lone surrogates. */
const texts = fc.array(
  fc.tuple(fc.string({ unit: 'binary' }), fc.nat(200_000)).map(([text, length]) => text + 'ü\ud800'.repeat(length / 5)),
  { maxLength: 12 },
)

test('buffers that are used again hold exactly the bytes of each text', () => {
  fc.assert(
    fc.property(texts, fc.nat(3), (all, inUse) => {
      const buffers = new FreeBuffers()
      const held: { readonly text: string; readonly bytes: Buffer }[] = []
      const giveBack = () => {
        const first = held.shift()
        if (first === undefined) return
        // Not overwritten by the texts since.
        expect(first.bytes.equals(Buffer.from(first.text))).toBe(true)
        buffers.release(first.bytes)
      }
      for (const text of all) {
        held.push({ text, bytes: buffers.encoded(text) })
        if (held.length > inUse) giveBack()
      }
      while (held.length > 0) giveBack()
    }),
    { numRuns: 50 },
  )
})

test('a buffer is used again once it is given back', () => {
  const buffers = new FreeBuffers()
  const [first, second] = [buffers.encoded('a'), buffers.encoded('b')]
  expect(second.buffer).not.toBe(first.buffer)
  buffers.release(first)
  expect(buffers.encoded('c').buffer).toBe(first.buffer)
})

test('a buffer of more than 1 MB is not kept', () => {
  const buffers = new FreeBuffers()
  const large = buffers.encoded('a'.repeat(2_000_000))
  buffers.release(large)
  expect(buffers.encoded('b'.repeat(2_000_000)).buffer).not.toBe(large.buffer)
})
