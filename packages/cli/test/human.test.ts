import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatDuration, formatNumber } from '../src/index.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [117_300_000, '117.3 MB'],
  [5e15, '5000.0 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min 00 s'],
  [185_000, '3 min 05 s'],
  [3_599_400, '59 min 59 s'],
  [3_599_600, '1 h 00 min'],
  [7_800_000, '2 h 10 min'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('no duration shows 60 seconds or minutes', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => {
      expect(formatDuration(ms)).not.toMatch(/\b60(\.0)? (s|min)\b/)
    }),
  )
})

test('counts and their nouns', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
  expect([0, 1, 2].map((n) => formatNumber(n, 'task'))).toEqual(['0 tasks', '1 task', '2 tasks'])
  expect(formatNumber(2, 'retry', 'retries')).toBe('2 retries')
})
