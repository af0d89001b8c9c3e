import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileName, slugOf } from '../src/names/slug.ts'

/** Anything a service might send, and what file systems stumble over. */
const title = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.constantFrom(
    '..',
    '.',
    '',
    '   ',
    'CON',
    'nul.txt',
    'COM¹',
    '.hidden',
    'a/b\\c',
    '../../etc/passwd',
    '~',
    '-rf',
    'x.',
  ),
  fc.constantFrom(
    'é',
    'e\u0301',
    'ÀÉ',
    'Straße',
    'İstanbul',
    '\u202egnp.exe',
    '\ud800',
    '文'.repeat(300),
    '\u0301'.repeat(300),
  ),
)

const id = fc.oneof(
  fc.stringMatching(/^[0-9a-f]{24}$/),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  fc.stringMatching(/^[Aa]{1,6}$/),
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc.constantFrom('', '.', '..', 'a.md', 'README', 'a/b', 'a--b', '-', 'CON', 'a~1', 'ａ', 'A', 'a'),
)

/** What the least of the file systems tell apart: APFS and NTFS fold case, HFS+ decomposes as well. */
const folded = (name: string) => name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD')

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
      fc.property(title, id, (title, id) => {
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
      fc.property(title, id, title, id, (titleA, idA, titleB, idB) => {
        fc.pre(idA !== idB)
        expect(folded(fileName(titleA, idA))).not.toBe(folded(fileName(titleB, idB)))
      }),
      { numRuns: 3000 },
    )
  })

  test('tells ids apart that differ in case alone, under one title', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z-]{1,20}$/), fc.array(fc.boolean(), { maxLength: 20 }), (lower, capitals) => {
        const other = [...lower].map((letter, index) => (capitals[index] ? letter.toUpperCase() : letter)).join('')
        fc.pre(other !== lower)
        expect(folded(fileName('x', other))).not.toBe(folded(fileName('x', lower)))
      }),
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
