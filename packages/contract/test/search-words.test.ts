import { expect, test } from 'vitest'
import { searchWords } from '../src/search-words.ts'

test('words are between spaces or quotes, as they were typed, each once', () => {
  expect(searchWords(' Plan  "two words" plan Plan \u0000x\u0000 ""')).toEqual(['Plan', 'two words', 'plan', 'x'])
  expect(searchWords('open "end')).toEqual(['open', 'end'])
  expect(searchWords('\uD800')).toEqual(['\uFFFD'])
})

test.each([
  ['', /no word/],
  [' "" " " \u0000', /no word/],
  ['1 2 3 4 5 6 7 8 9', /more than 8 words/],
  ['x'.repeat(201), /more than 200 characters/],
])('%j is no search', (query, problem) => {
  expect(searchWords(query)).toEqual({ problem: expect.stringMatching(problem) })
})
