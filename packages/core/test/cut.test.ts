import { expect, test } from 'vitest'
import { judgeLength, type LengthVerdict } from '../src/walk/cut.ts'

test.each<[count: number, total: number | null, verdict: LengthVerdict]>([
  // the length that the service states decides
  [37, 120, 'cut'],
  [100, 120, 'cut'],
  [100, 100, 'stated'],
  [0, 0, 'stated'],
  // a smaller one is of something else
  [99, 10, 'plain'],
  [100, 10, 'suspicious'],
  [0, null, 'plain'],
  [19, null, 'plain'],
  [20, null, 'suspicious'],
  [21, null, 'plain'],
  [10_000, null, 'suspicious'],
  [20_000, null, 'plain'],
])('a list of %i of which the service counts %s is %s', (count, total, verdict) => {
  expect(judgeLength({ count, total })).toBe(verdict)
})
