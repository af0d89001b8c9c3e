import { expect, test } from 'vitest'
import { GrowingBuffer } from '../src/http/value-decoder.ts'
import { isDecodeError } from '../src/index.ts'

const KIB = 1024

/** How much memory a buffer takes. */
const memoryOf = (buffer: GrowingBuffer) => buffer.asArray(buffer.length).buffer.byteLength
const textOf = (buffer: GrowingBuffer) => buffer.asArray(buffer.length).toString()

test('appended bytes are in brackets, dropped ones are gone', () => {
  const buffer = new GrowingBuffer()
  expect(textOf(buffer)).toBe('[]')
  buffer.append(Buffer.from('1,2'))
  buffer.append(Buffer.from(',3'))
  expect(buffer.length).toBe(5)
  expect(textOf(buffer)).toBe('[1,2,3]')
  buffer.drop(2)
  expect(textOf(buffer)).toBe('[2,3]')
  expect(buffer.asArray(1).toString()).toBe('[2]')
})

test('there is room for the closing bracket, however much is held', () => {
  for (const length of [4, 256].flatMap((size) => [-3, -2, -1, 0].map((more) => size * KIB + more))) {
    const buffer = new GrowingBuffer()
    buffer.append(Buffer.alloc(length, '1'))
    expect(buffer.asArray(length).at(-1)).toBe(0x5d)
    expect(buffer.asArray(length)).toHaveLength(length + 2)
  }
})

test('it grows by half at least, so that a huge record is not copied with every chunk', () => {
  const buffer = new GrowingBuffer()
  const sizes = new Set<number>()
  for (let held = 0; held < 4096 * KIB; held += 16 * KIB) {
    buffer.append(Buffer.alloc(16 * KIB, '1'))
    sizes.add(memoryOf(buffer))
  }
  const all = [...sizes]
  for (const [index, size] of all.entries()) expect(size).toBeGreaterThan(1.5 * (all[index - 1] ?? 0))
  expect(all.at(-1)).toBeLessThan(8192 * KIB)
})

test('a small answer takes little memory', () => {
  const buffer = new GrowingBuffer()
  buffer.append(Buffer.from('1,2'))
  expect(memoryOf(buffer)).toBe(4 * KIB)
  buffer.append(Buffer.alloc(10 * KIB, '1'))
  expect(memoryOf(buffer)).toBeLessThan(20 * KIB)
})

test('what a huge record made it grow to is given back with the record', () => {
  const buffer = new GrowingBuffer()
  buffer.append(Buffer.alloc(3000 * KIB, '1'))
  expect(memoryOf(buffer)).toBeGreaterThan(3000 * KIB)
  buffer.drop(1000 * KIB)
  // what is left would not fit
  expect(memoryOf(buffer)).toBeGreaterThan(3000 * KIB)
  buffer.drop(2000 * KIB - 5)
  expect(memoryOf(buffer)).toBe(256 * KIB)
  expect(textOf(buffer)).toBe('[11111]')
})

test('what is not huge is kept, to be filled again', () => {
  const buffer = new GrowingBuffer()
  buffer.append(Buffer.alloc(900 * KIB, '1'))
  const before = memoryOf(buffer)
  buffer.drop(900 * KIB)
  expect(memoryOf(buffer)).toBe(before)
})

test('a record beyond what V8 can hold in a string is refused before any memory is taken for it', () => {
  const buffer = new GrowingBuffer()
  const huge = new Uint8Array(256 * KIB * KIB)
  expect(() => buffer.append(huge)).toThrow('a record larger than 256 MiB')
  expect(() => buffer.append(huge)).toThrow(expect.toSatisfy((error) => isDecodeError(error, 'too_large')))
  expect(memoryOf(buffer)).toBe(4 * KIB)
})
