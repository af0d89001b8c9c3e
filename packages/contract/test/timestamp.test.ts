import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareTimes, EPOCH, isExact, readTimestamp } from '../src/timestamp.ts'

describe('timestamps', () => {
  test.each([
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02T03:04Z', '2024-01-02T03:04:00.000Z'],
    ['2024-01-02T03:04:05.1Z', '2024-01-02T03:04:05.100Z'],
    ['2024-01-02T03:04:05.1234Z', '2024-01-02T03:04:05.123400Z'],
    ['2024-01-02T03:04:05,123456Z', '2024-01-02T03:04:05.123456Z'],
    ['2024-01-02T03:04:05.123000Z', '2024-01-02T03:04:05.123Z'],
    ['1970-01-01T00:00:00.000000Z', EPOCH],
    ['1970-01-01T00:00:00Z', EPOCH],
    ['1969-12-31T24:00:00.00Z', EPOCH],
    ['2024-12-31T24:00:00Z', '2025-01-01T00:00:00.000Z'],
    ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
  ])('%s is %s', (text, value) => {
    expect(readTimestamp(text)).toEqual({ value })
  })

  test.each([
    ['2024-01-01T01:30:00.000+02:00', '2023-12-31T23:30:00.000Z'],
    ['2024-01-01T01:30:00.000-0530', '2024-01-01T07:00:00.000Z'],
    ['2024-01-01T01:30:00+01', '2024-01-01T00:30:00.000Z'],
    ['2024-01-02', '2024-01-02T00:00:00.000Z'],
    ['2024-01-02T03:04:05.1234567Z', '2024-01-02T03:04:05.123456Z'],
    ['2024-01-02T03:04:05.1230000Z', '2024-01-02T03:04:05.123Z'],
    ['1970-01-01T08:00:00.000000+08:00', EPOCH],
    ['1969-12-31T19:00-05:00', EPOCH],
    ['0', EPOCH],
    ['1714979289', '2024-05-06T07:08:09.000Z'],
    ['123456789', '1973-11-29T21:33:09.000Z'],
    ['-123456789', '1966-02-02T02:26:51.000Z'],
    ['1714979289010', '2024-05-06T07:08:09.010Z'],
    ['123456789010', '1973-11-29T21:33:09.010Z'],
  ])('%s is converted to %s', (text, value) => {
    expect(readTimestamp(text)).toEqual({ value, isConverted: true })
  })

  test.each([
    ...['', 'yesterday', '2024-02-30', '2024', '20240102', '17149792890101', '1714979289.5', '2024-01-02T03:04:05'],
    ...['2023-02-29T00:00:00.000Z', '2023-02-29T00:00:00Z', '1900-02-29T00:00:00.000Z', '2024-13-01T00:00:00.000Z'],
    ...['2024-00-01T00:00:00.000Z', '2024-04-31T00:00:00.000Z', '2024-01-00T00:00:00.000Z', '2024-01-01T24:00:00.001Z'],
    ...['2024-01-01T25:00:00.000Z', '2024-01-01T00:60:00.000Z', '2016-12-31T23:59:60.000Z'],
    ...['2024-01-01T00:00:00.000+24:00', '2024-01-01T00:0x:00.000Z'],
  ])('%j names no instant', (text) => {
    expect(readTimestamp(text)).toEqual({ loss: 'invalid_timestamp' })
  })

  test.each([
    ...['0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000+01:00', '9999-12-31T23:59:59.999-01:00'],
    ...['+010000-01-01T00:00:00.000Z', '-000001-01-01T00:00:00Z'],
  ])('%s is a year that cannot be stored', (text) => {
    expect(readTimestamp(text)).toEqual({ loss: 'out_of_range' })
  })

  test('times of one millisecond are in their order', () => {
    const times = ['2024-01-02T03:04:05.123Z', '2024-01-02T03:04:05.123456Z', '2024-01-02T03:04:05.124Z']
    expect(times.toReversed().toSorted(compareTimes)).toEqual(times)
    expect(compareTimes(times[0] ?? '', times[0] ?? '')).toBe(0)
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

  test('seconds and milliseconds of one instant since 1973 are read as that instant', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000_000, max: 9_999_999_999 }), (seconds) => {
        const value = new Date(seconds * 1000).toISOString()
        expect(readTimestamp(String(seconds))).toEqual({ value, isConverted: true })
        expect(readTimestamp(String(seconds * 1000))).toEqual({ value, isConverted: true })
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
