import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileName, slugOf } from '../src/names/slug.ts'
import { folded, titles } from './titles.ts'

const id = fc.oneof(
  fc.stringMatching(/^[0-9a-f]{24}$/),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  fc.stringMatching(/^[Aa]{1,6}$/),
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc.constantFrom('', '.', '..', 'a.md', 'README', 'a/b', 'a--b', '-', 'CON', 'a~1', 'ａ', 'A', 'a'),
)

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

  test('is legal on Linux, macOS and Windows, never hidden, never a path, for any title and id', () => {
    fc.assert(
      fc.property(titles, id, (title, id) => {
        const name = fileName(title, id)
        expect(Buffer.byteLength(`${name}.md`)).toBeLessThanOrEqual(255)
        expect(name).toMatch(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}~_-]*$/u)
        expect(name).not.toMatch(/\p{Default_Ignorable_Code_Point}/u)
        expect(name.normalize('NFC')).toBe(name)
        expect(Buffer.from(name).toString()).toBe(name)
        expect(`${name}.md`).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
      }),
      { numRuns: 2000 },
    )
  })

  test('distinguishes any two ids, with any titles, on every file system', () => {
    fc.assert(
      fc.property(titles, id, titles, id, (titleA, idA, titleB, idB) => {
        fc.pre(idA !== idB)
        expect(folded(fileName(titleA, idA))).not.toBe(folded(fileName(titleB, idB)))
      }),
      { numRuns: 3000 },
    )
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
