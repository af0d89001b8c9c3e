import { createContext, runInContext } from 'node:vm'
import { anyCharacter } from '@collab-etl/harness/any-character'
import { rounds } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAsset } from '../src/html/assets.ts'
import { PreviousTexts } from '../src/html/search/previous-texts.ts'
import { type SearchDocument, ShardWriter } from '../src/html/search/shard-writer.ts'
import { countsOf } from '../src/html/search/term-index.ts'
import { loadTerms, type Terms } from '../src/html/search/terms.ts'

const terms = await loadTerms()

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom("it's \\ a \\u2028 \\\\u2029 '", '\u2028\u2029', '\ud800', 'ü'.repeat(48_000), 'word '.repeat(9_000)),
  fc.constantFrom('x '.repeat(24_600), 'x'.repeat(60_000), 'x '.repeat(600_000)),
)

const documents = fc.array(fc.record({ title: fc.constantFrom('', 'Title', 'T'.repeat(400)), text: texts }), {
  maxLength: 30,
})

function documentOf({ title, text }: { title: string; text: string }, index: number): SearchDocument {
  return { kind: 'page', id: `${index}`, title, address: `pages/${index}.html`, path: [], date: null, text }
}

/** Writes the index of documents, and returns its files. */
async function indexOf(all: readonly SearchDocument[]) {
  const files = new Map<string, string>()
  const add = async (path: string, text: string) => void files.set(path, text)
  const writer = new ShardWriter({ add, stream: () => Promise.reject(new TypeError('no pieces')) }, 'folder', terms)
  for (const each of all) await writer.add(each)
  return { files, segments: await writer.end() }
}

test('an index made of the texts that its files hold is the same, whichever are read', {
  tags: 'thorough',
}, async () => {
  await fc.assert(
    fc.asyncProperty(documents, fc.infiniteStream(fc.boolean()), async (contents, isRead) => {
      const all = contents.map(documentOf)
      const { files, segments } = await indexOf(all)
      const previous = { note: null, text: async (path: string) => files.get(path) ?? null }
      const before = new PreviousTexts(previous, 'folder', segments)
      const again: SearchDocument[] = []
      for (const each of all) {
        const text = isRead.next().value === true ? await before.textAt(each.address) : null
        if (text === null) again.push(each)
        else again.push({ ...each, text })
      }
      expect((await indexOf(again)).files).toEqual(files)
    }),
    { numRuns: rounds(4, 100) },
  )
})

test('a file that is missing gives no text, and takes none from those after it', async () => {
  const all = Array.from({ length: 30 }, (_, index) =>
    documentOf({ title: 'T', text: `${index} `.repeat(6000) }, index),
  )
  const { files, segments } = await indexOf(all)
  const path = [...files.keys()].find((name) => name.endsWith('-d1.js')) ?? ''
  const lost = new PreviousTexts(
    { note: null, text: async (name) => (name === path ? null : (files.get(name) ?? null)) },
    'folder',
    segments,
  )
  const found = []
  for (const { address } of all.slice(-3)) found.push(await lost.textAt(address))
  expect(found).toEqual(all.slice(-3).map(({ text }) => text))
})

test('a text has the terms that the site looks for', async () => {
  const context: { collabTerms?: Terms } = createContext({})
  runInContext(await readAsset('terms.js'), context)
  const pieces = fc.constantFrom(
    ' ',
    'Wort',
    'ΣΑΣ',
    'Σ',
    '\u0301',
    '\u0338',
    '\u0591',
    '¨',
    'İ',
    'ｶﾞ',
    '한',
    'ß',
    '项目文档',
    '\t',
  )
  const unit = fc.oneof(pieces, anyCharacter)
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      const counts = new Map<string, number>()
      for (const term of context.collabTerms?.ofText(text) ?? []) counts.set(term, (counts.get(term) ?? 0) + 1)
      expect(countsOf(text, terms)).toEqual(counts)
    }),
    { numRuns: 2000 },
  )
})
