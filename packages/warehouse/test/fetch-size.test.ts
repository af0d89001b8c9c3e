import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FetchSize } from '../src/driver/fetch-size.ts'

test('batches of small rows grow to hundreds, one row of many megabytes is a batch', () => {
  const size = new FetchSize()
  expect(size.rows).toBeLessThan(10)
  for (let batch = 0; batch < 10; batch++) size.after(size.rows * 100)
  expect(size.rows).toBe(500)
  size.after(size.rows * 10_000_000)
  expect(size.rows).toBe(1)
  size.after(100)
  expect(size.rows).toBe(4)
})

test('a batch of rows as large as those before has at most some megabytes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50_000_000 }), fc.integer({ min: 1, max: 8 }), (bytesOfRow, batches) => {
      const size = new FetchSize()
      for (let batch = 0; batch < batches; batch++) size.after(size.rows * bytesOfRow)
      expect(size.rows === 1 || size.rows * bytesOfRow <= 4 * 1024 * 1024).toBe(true)
      expect(Number.isInteger(size.rows)).toBe(true)
    }),
  )
})
