import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLinks } from '../src/markdown/destinations.ts'
import { partsOf } from '../src/markdown/parts.ts'
import { wantedParts } from '../src/markdown/wanted-parts.ts'
import { linksOfAllParts, linksOfParts, linksOfWhole } from './links-of-parts.ts'
import { MATTERS, markdownTexts } from './markdown-texts.ts'

const matters = (text: string) => MATTERS.test(text)

test('the wanted parts of any text have the links of the whole, in the same places', () => {
  fc.assert(
    fc.property(markdownTexts, (text) => {
      expect(linksOfParts(text, matters)).toEqual(linksOfWhole(text, matters))
    }),
    { numRuns: 2_000 },
  )
})

test('the parts of any text follow each other without a gap, and have all links of the whole', () => {
  fc.assert(
    fc.property(markdownTexts, (text) => {
      expect([...partsOf(text)].map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
      expect(linksOfAllParts(text)).toEqual(readLinks(text))
    }),
    { numRuns: 2_000 },
  )
})

test('what stands apart from links is not parsed', () => {
  const apart = `\n\n${'word '.repeat(100)}\n\n# x\n\n- \\&amp;\n\n`
  const length = (text: string) =>
    wantedParts(text, matters, Infinity)?.reduce((sum, { start, end }) => sum + end - start, 0)
  expect(length(`${apart}[a](/pages/1)\n\n[b][c]${apart}`)).toBe('[a](/pages/1)\n\n'.length)
  expect(length(`[c]: /pages/1${apart}[b][c]${apart}`)).toBe('[c]: /pages/1\n\n[b][c]\n\n'.length)
  expect(length(`<a href="/pages/1">${apart}<b>${apart}`)).toBe('<a href="/pages/1">\n\n<b>\n\n'.length)
})

test('an @ somewhere else changes no link', () => {
  fc.assert(
    fc.property(markdownTexts, (text) => {
      expect(readLinks(`${text}\n\n@`)).toEqual(readLinks(text))
    }),
    { numRuns: 1_000 },
  )
})
