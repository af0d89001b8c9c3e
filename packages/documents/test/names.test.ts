import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileName, slugOf } from '../src/names/slug.ts'

describe('a file name', () => {
  test('holds the slug of the title and ends in the id', () => {
    expect(fileName('Meeting Notes: Q3', '60a1f2')).toBe('meeting-notes-q3--60a1f2')
    expect(fileName('产品路线图 2024', 'p1')).toBe('产品路线图-2024--p1')
    expect(fileName(null, 'x')).toBe('untitled--x')
    expect(fileName('🎉🎉', 'x')).toBe('untitled--x')
  })

  test('says which letters of an id are capitals, as some file systems do not', () => {
    expect(fileName('a', 'P1')).toBe('a~1--P1')
    expect(fileName('notes', 'AbC')).toBe('notes~5--AbC')
    expect(fileName('notes', 'aBc')).toBe('notes~2--aBc')
  })

  test('replaces what no name can hold by a digest', () => {
    expect(fileName('notes', 'a/b')).toMatch(/^notes--a-b~[0-9a-f]{16}$/)
    expect(fileName('notes', 'a\\b')).toMatch(/^notes--a-b~[0-9a-f]{16}$/)
    expect(fileName('notes', 'a/b')).not.toBe(fileName('notes', 'a\\b'))
  })
})

describe('a slug', () => {
  test('is cut between graphemes, by bytes', () => {
    expect(Buffer.byteLength(slugOf('文'.repeat(300)))).toBe(99)
    expect(slugOf('e\u0323\u0302'.repeat(80))).toBe('ệ'.repeat(33))
    expect(slugOf(`${'a'.repeat(99)} b`)).toBe('a'.repeat(99))
  })

  test('is the same for NFC and NFD, and for upper and lower case', () => {
    expect(slugOf('Cafe\u0301')).toBe(slugOf('café'))
    expect(slugOf('ÜBER')).toBe('über')
    expect(slugOf('\u0301a')).toBe('a')
  })

  test('keeps what makes up words in other scripts', () => {
    expect(slugOf('हिन्दी परीक्षा')).toBe('हिन्दी-परीक्षा')
    expect(slugOf('한국어 문서')).toBe('한국어-문서')
    expect(slugOf('می\u200cخواهم')).toBe('میخواهم')
  })
})

test('texts are compared as their UTF-8 bytes are', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (a, b) => {
      fc.pre(a.isWellFormed() && b.isWellFormed())
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 1000 },
  )
})
