import { describe, expect, test } from 'vitest'
import { calendarDuration, duration } from '../src/index.ts'

const [SECOND, HOUR, DAY] = [1000, 3_600_000, 86_400_000]

describe('a length of time', () => {
  test.each([
    ['1s', SECOND],
    ['90m', 1.5 * HOUR],
    ['26h', 26 * HOUR],
    ['31d', 31 * DAY],
    ['8w', 56 * DAY],
    ['1y', 366 * DAY],
    ['1d12h30m15s', 36.5 * HOUR + 15 * SECOND],
  ])('%s is so many milliseconds', (text, milliseconds) => {
    expect(duration(text)).toBe(milliseconds)
  })

  test.each(['', '30', '0s', '-1d', '1.5h', '1m1h', '1h1h', '1 h', '1H', 'h', 'soon', '9999999999s'])(
    '%j is none',
    (text) => {
      expect(() => duration(text)).toThrow(
        `must be a length of time such as 90s, 30m, 12h, 31d, 8w or 1y, not "${text}"`,
      )
    },
  )

  test('with mo for months is one of the calendar', () => {
    expect(calendarDuration('1y6mo2w3d12h9s')).toEqual({ years: 1, months: 6, days: 17, hours: 12, seconds: 9 })
    for (const text of ['', '30', '6m', '1h30m', '10000mo'])
      expect(() => calendarDuration(text)).toThrow('must be a duration such as 30d, 12h or 1y6mo (mo for months), not')
  })
})
