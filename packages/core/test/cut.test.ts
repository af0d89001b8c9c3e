import { describe, expect, test } from 'vitest'
import { whyCut } from '../src/walk/cut.ts'

describe('a list that comes in one answer', () => {
  test('of any length is cut if the service states more', () => {
    expect(whyCut({ count: 37, total: 120, longest: 500 })).toBe('possibly capped at 37: the service counts 120')
  })

  test('is whole where the service counts as many', () => {
    expect(whyCut({ count: 100, total: 100, longest: 0, evidence: 'a parent is missing' })).toBeNull()
  })

  test('of a typical length is doubtful until a longer one was seen', () => {
    expect(whyCut({ count: 100, total: null, longest: 100 })).toBe('possibly capped at 100')
    expect(whyCut({ count: 100, total: null, longest: 101 })).toBeNull()
  })

  test('of a typical length that lacks what it names is doubtful all the same', () => {
    const of = { count: 100, total: null, longest: 500, evidence: 'page a names b' }
    expect(whyCut(of)).toBe('possibly capped at 100: page a names b')
    expect(whyCut({ ...of, count: 101 })).toBeNull()
  })

  test('of any other length is whole; so is one that the service counts shorter', () => {
    expect(whyCut({ count: 99, total: null, longest: 0 })).toBeNull()
    expect(whyCut({ count: 99, total: 10, longest: 0 })).toBeNull()
    expect(whyCut({ count: 100, total: 10, longest: 0 })).toBe('possibly capped at 100')
  })
})
