import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isExact, readTimestamp } from '../src/convert/timestamp.ts'

describe('timestamps', () => {
  test.each([
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02T03:04Z', '2024-01-02T03:04:00.000Z'],
    ['2024-01-02T03:04:05.1Z', '2024-01-02T03:04:05.100Z'],
    ['2024-01-02T03:04:05,123456789Z', '2024-01-02T03:04:05.123456Z'],
    ['2024-01-01T01:30:00.000+02:00', '2023-12-31T23:30:00.000Z'],
    ['2024-01-01T01:30:00.000-0530', '2024-01-01T07:00:00.000Z'],
    ['2024-01-01T01:30:00+01', '2024-01-01T00:30:00.000Z'],
    ['2024-12-31T24:00:00Z', '2025-01-01T00:00:00.000Z'],
    ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
  ])('%s is %s', (text, value) => {
    expect(readTimestamp(text)).toEqual({ value })
  })

  test.each([
    '',
    'yesterday',
    '2024-01-02',
    '2024-01-02T03:04:05',
    '2023-02-29T00:00:00.000Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00.000Z',
    '2024-13-01T00:00:00.000Z',
    '2024-00-01T00:00:00.000Z',
    '2024-04-31T00:00:00.000Z',
    '2024-01-00T00:00:00.000Z',
    '2024-01-01T24:00:00.001Z',
    '2024-01-01T25:00:00.000Z',
    '2024-01-01T00:60:00.000Z',
    '2016-12-31T23:59:60.000Z',
    '2024-01-01T00:00:00.000+24:00',
    '2024-01-01T00:0x:00.000Z',
    '1714979289010',
  ])('%j names no instant', (text) => {
    expect(readTimestamp(text)).toEqual({ loss: 'invalid_timestamp' })
  })

  test.each([
    '0000-01-01T00:00:00.000Z',
    '0001-01-01T00:00:00.000+01:00',
    '9999-12-31T23:59:59.999-01:00',
    '+010000-01-01T00:00:00.000Z',
    '-000001-01-01T00:00:00Z',
  ])('%s is a year that cannot be stored', (text) => {
    expect(readTimestamp(text)).toEqual({ loss: 'out_of_range' })
  })

  test('every instant that the service can write passes as it is', () => {
    const min = new Date('0001-01-01T00:00:00.000Z')
    const max = new Date('9999-12-31T23:59:59.999Z')
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(isExact(date.toISOString())).toBe(true)
      }),
    )
  })

  test('what passes as it is, JavaScript reads as the same instant', () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
    const parts = fc.tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), digits(3))
    fc.assert(
      fc.property(parts, ([y, m, d, h, i, s, f]) => {
        const text = `${y}-${m}-${d}T${h}:${i}:${s}.${f}Z`
        const date = new Date(text)
        const exists = !Number.isNaN(date.getTime()) && y !== '0000' && date.toISOString() === text
        expect(isExact(text)).toBe(exists)
      }),
      { numRuns: 2000 },
    )
  })
})
