import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { characters, fitItems, fitText, jsonBytes, shortened } from '../src/bounds.ts'
import { parseUri, uriOf } from '../src/server/uri.ts'

const texts = fc.string({
  unit: fc.oneof(anyCharacter, fc.constantFrom('"', '\\', '\0', '\n', 'a', '漢', '😀')),
  maxLength: 300,
})

test('a text is cut to the longest beginning that fits, between characters', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 12, max: 400 }), (text, bytes) => {
      const kept = fitText(text, bytes)
      expect(text.startsWith(kept)).toBe(true)
      expect(kept.isWellFormed()).toBe(true)
      expect(jsonBytes(kept) - 2).toBeLessThanOrEqual(bytes)
      const next = [...text].slice(0, characters(kept) + 2).join('')
      if (kept !== text && next !== kept) expect(jsonBytes(next) + 10).toBeGreaterThan(bytes)
      expect(characters(kept)).toBe([...kept].length)
    }),
  )
})

test('a list is cut to the first items that fit, and a name to so many characters', () => {
  fc.assert(
    fc.property(
      fc.array(texts, { maxLength: 20 }),
      fc.nat(2000),
      fc.integer({ min: 1, max: 50 }),
      (items, bytes, most) => {
        const kept = fitItems(items, bytes)
        expect(items.slice(0, kept.length)).toEqual(kept)
        expect(jsonBytes(kept)).toBeLessThanOrEqual(Math.max(2, bytes + 1))
        const name = shortened(items.join(''), most) ?? ''
        expect([...name].length).toBeLessThanOrEqual(most + 1)
        expect(name.isWellFormed()).toBe(true)
      },
    ),
  )
})

test('an address leads back to its record, for ids of any characters', () => {
  const ids = fc.oneof(texts, fc.constantFrom('.', '..', '/', '%2F', '?offset=1', '#')).filter((id) => id !== '')
  fc.assert(
    fc.property(
      ids,
      ids,
      fc.constantFrom('page' as const, 'post' as const),
      fc.nat(999_999),
      (pid, id, kind, offset) => {
        const uri = uriOf({ kind, pid, id }, offset)
        expect(parseUri(uri)).toEqual({ kind, pid, id, offset })
        expect(new URL(uri).protocol).toBe('collab:')
      },
    ),
  )
})

test.each([
  '',
  'collab://projects/p/tasks/t',
  'collab://projects/%/pages/a',
  'file:///etc/passwd',
  'collab://projects/p/pages/a/b',
])('%j is no address of a page or post', (uri) => {
  expect(parseUri(uri)).toBeNull()
})
