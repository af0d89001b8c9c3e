import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retiredTerms } from './retired-terms.ts'

test('no file uses a term that the glossary replaced', () => {
  const uses = retiredTerms(join(import.meta.dirname, '../..'))
  expect(uses.map(({ path, line, term, instead }) => `${path}:${line}: ${term}, use: ${instead}`)).toEqual([])
})
