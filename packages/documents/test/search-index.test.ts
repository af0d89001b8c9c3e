import fc from 'fast-check'
import MiniSearch from 'minisearch'
import { expect, test } from 'vitest'
import { type Entry, SearchIndex } from '../src/html/search/search-index.ts'

const WORDS = fc.array(fc.constantFrom('a', 'be', 'see', '__proto__', '7', '"', '\u2028', '文'), { maxLength: 12 })
const ENTRY = fc.record({
  ...{ title: WORDS, text: WORDS, kind: fc.constant('page'), address: fc.string() },
  ...{ path: fc.array(fc.string(), { maxLength: 2 }), date: fc.option(fc.constant('2024-03-01T08:00:00.000Z')) },
})

const termsOf = (text: string) => (text === '' ? [] : text.split(' '))

/** The index that MiniSearch makes of the entries. */
function expected(entries: readonly Entry[]) {
  const index = new MiniSearch<Entry & { readonly id: number }>({
    fields: ['title', 'text'],
    storeFields: ['kind', 'title', 'address', 'path', 'date'],
    tokenize: termsOf,
    processTerm: (term) => term,
  })
  index.addAll(entries.map((entry, id) => ({ ...entry, id })))
  return JSON.parse(JSON.stringify(index))
}

/** The order of the terms has no meaning. */
function byTerm({ index, ...rest }: { index: [term: string, data: unknown][] }) {
  return { ...rest, index: index.toSorted(([a], [b]) => (a < b ? -1 : 1)) }
}

test('the index of any entries is the one that MiniSearch makes of them', () => {
  fc.assert(
    fc.property(fc.array(ENTRY, { minLength: 1, maxLength: 6 }), (drawn) => {
      const entries = drawn.map((entry) => ({ ...entry, title: entry.title.join(' '), text: entry.text.join(' ') }))
      const index = new SearchIndex(termsOf)
      for (const entry of entries) index.add(entry)
      expect(byTerm(JSON.parse(String(index)))).toEqual(byTerm(expected(entries)))
    }),
    { numRuns: 300 },
  )
})
