import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadTerms } from '../src/html/index.ts'
import { type Searched, searchSite } from './search-site.ts'

const TERMS = await loadTerms()

/** Below it, similar words are found too. */
const FEW = 5

function record(id: string, more: Partial<Searched> = {}): Searched {
  const empty = { kind: 'page', title: '', text: '', path: [], date: null, folder: 'p' } as const
  return { ...empty, id, address: `${id}.html`, ...more }
}

/** Words of several scripts, alike and not, and characters with a meaning in scripts and in the index. */
const WORD = fc.oneof(
  fc.constantFrom(
    ...['road', 'roadmap', 'Straße', 'STRASSE', 'café', 'ABC', '数据库', '数据', '__proto__', '7', 'ไทย', 'x'],
  ),
  fc.constantFrom('"', "'", '\\', '\u2028', '</script>', ':', '𝒳𝒴', '\ud83d', 'İstanbul', 'ﬁne', 'constructor'),
  fc.stringMatching(/^[a-e]{3,9}$/),
)
const WORDS = fc.array(WORD, { maxLength: 8 }).map((words) => words.join(' '))
const RECORDS = fc
  .array(
    fc.record({
      title: WORDS,
      text: WORDS,
      folder: fc.constantFrom('p', 'q', "r 'é\\"),
      kind: fc.constantFrom('page', 'task', 'person'),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((drawn) => drawn.map((fields, index) => record(`r${index}`, fields)))

/** The records that have all terms of a question, each as the beginning of one of theirs. */
function expected(records: readonly Searched[], question: string): string[] {
  const { ofQuestion, ofText, mayContinue } = TERMS
  const wanted = ofQuestion(question)
  const having = records.filter(({ title, text }) => {
    const terms = ofText(`${title}\n${text}`)
    return wanted.every((term) => terms.some((own) => own === term || (mayContinue(term) && own.startsWith(term))))
  })
  return wanted.length === 0 ? [] : having.map(({ address }) => address)
}

const addresses = (answer: { readonly results: readonly { readonly address: string }[] }) =>
  answer.results.map(({ address }) => address)

test('records that have all words of a question are found, and before those with similar words', async () => {
  await fc.assert(
    fc.asyncProperty(RECORDS, fc.array(WORD, { minLength: 1, maxLength: 2 }), async (records, words) => {
      const question = words.join(' ')
      const { ask } = await searchSite(records)
      const answer = await ask(question)
      const right = expected(records, question)
      expect(addresses(answer).slice(0, right.length).toSorted()).toEqual(right.toSorted())
      if (right.length >= FEW) expect(answer.total).toBe(right.length)
    }),
    { numRuns: 60 },
  )
})

/** A word with one letter too many, too few, changed, or swapped with the next. */
function mistyped(word: string, at: number, letter: string): string[] {
  const [before, after] = [word.slice(0, at), word.slice(at)]
  return [
    before + letter + after,
    before + after.slice(1),
    before + letter + after.slice(1),
    before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2),
  ]
}

test('a word with one mistake finds its record, unless records have other words like it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{5,12}$/), { minLength: 1, maxLength: 20 }),
      fc.nat({ max: 4 }),
      fc.constantFrom('k', 'z', 'é'),
      async (words, at, letter) => {
        const { ask } = await searchSite(words.map((word, index) => record(`r${index}`, { text: `x ${word}` })))
        for (const wrong of mistyped(words[0] ?? '', at, letter)) {
          const answer = await ask(wrong)
          const isAtFirst = wrong[0] !== words[0]?.[0]
          if (isAtFirst ? answer.total === 0 : answer.total < FEW) expect(addresses(answer)).toContain('r0.html')
        }
      },
    ),
    { numRuns: 20 },
  )
})

test('filters divide the results: each is of one kind and in one project', async () => {
  await fc.assert(
    // Too short to be similar to others, which depends on how many are found.
    fc.asyncProperty(RECORDS, fc.constantFrom('x', '7', 'ABC', '数据'), async (records, question) => {
      const { ask } = await searchSite(records)
      const all = await ask(question)
      const byKind = []
      for (const kind of ['page', 'task', 'person']) {
        const some = await ask(question, { kind })
        expect(some.total).toBe(all.kinds.get(kind) ?? 0)
        expect(some.results.every((result) => result.kind === kind)).toBe(true)
        byKind.push(...addresses(some))
      }
      expect(byKind.toSorted()).toEqual(addresses(all).toSorted())
      for (const [folder, count] of all.folders) {
        const some = await ask(question, { folder })
        expect(some.total).toBe(count)
        expect(some.results.every(({ project }) => project.folder === folder)).toBe(true)
      }
    }),
    { numRuns: 30 },
  )
})

test('results have title, path, date and the place of the words, marked', async () => {
  const text = `${'many words '.repeat(50)}then the Große Straße, naïve`
  const { ask } = await searchSite([
    record('a', { title: 'Map of Zoë', text, path: ['Guide', 'Maps'], date: '2024-03-01T08:00:00.000Z' }),
  ])
  const { results } = await ask('zoe strasse naive')
  expect(results[0]).toMatchObject({ path: ['Guide', 'Maps'], date: '2024-03-01T08:00:00.000Z', kind: 'page' })
  const hits = (parts: readonly { readonly text: string; readonly isHit: boolean }[] = []) =>
    parts.filter(({ isHit }) => isHit).map((part) => part.text)
  expect(hits(results[0]?.title)).toEqual(['Zoë'])
  expect(hits(results[0]?.excerpt)).toEqual(['Straße', 'naïve'])
  expect(hits((await ask('stra')).results[0]?.excerpt)).toEqual(['Stra'])
  expect(hits((await ask('strasze')).results[0]?.excerpt)).toEqual(['Straße'])
})

/** 1,800 pages, 1,200,000 letters in ten thousand words. */
function manyRecords(): Searched[] {
  const wordOf = (number: number) => `${String.fromCharCode(97 + (number % 26))}w${(number * 7919) % 10_007}`
  return Array.from({ length: 1800 }, (_, page) => {
    const words = Array.from({ length: 100 }, (_, index) => wordOf(page * 37 + index * index))
    return record(`m${String(page).padStart(5, '0')}`, {
      title: `Page ${page}`,
      text: `${words.join(' ')} only${page}`,
    })
  })
}

test('a question loads few files of a large index, a changed record changes few', async () => {
  const records = manyRecords()
  const { files, loaded, ask } = await searchSite(records)
  expect(addresses(await ask('only1234'))).toEqual(['m01234.html'])
  const ofIndex = [...loaded].filter((path) => path.includes('/search/'))
  expect(files.size).toBeGreaterThan(30)
  expect(ofIndex.length).toBeLessThanOrEqual(4)
  const changed = records.map((one, index) => (index === 1000 ? { ...one, text: `${one.text} onlyhere` } : one))
  const next = await searchSite([...changed, record('m99999', { text: 'at the end' })])
  const different = [...next.files].filter(([path, text]) => files.get(path) !== text)
  expect(different.length).toBeLessThanOrEqual(6)
  expect(addresses(await next.ask('onlyhere'))).toEqual(['m01000.html'])
})

test('a word that no record has loads few files of a large index', async () => {
  // Words with the same beginnings fill many files in few records; each project has files of its own.
  const records = Array.from({ length: 120 }, (_, index) =>
    record(`p${index}`, { folder: `f${index}`, text: 'walrus' }),
  )
  const words = Array.from({ length: 12_000 }, (_, index) => `${'bcdfgh'[index % 6]}${index.toString(36)}filler`)
  const { loaded, ask } = await searchSite([...records, record('large', { text: words.join(' ') })])
  const ofIndex = () => [...loaded].filter((path) => path.includes('/search/'))
  expect((await ask('qqqqqqqq')).total).toBe(0)
  expect(ofIndex().length).toBeLessThanOrEqual(3)
  expect((await ask('awlrus')).total).toBe(120)
})

test('a long text is found whole, where it is divided too, and by words far from one another', async () => {
  const long = `first ${'filler '.repeat(20_000)}walrus ${'字'.repeat(60_000)}数据${'字'.repeat(60_000)} last`
  const { ask } = await searchSite([record('a', { text: long }), record('b', { title: `${'t'.repeat(60_000)} end` })])
  for (const question of ['walrus', '数据', 'first walrus last', '字数据字']) {
    expect(addresses(await ask(question)), question).toEqual(['a.html'])
  }
  expect(addresses(await ask('end'))).toEqual(['b.html'])
  expect((await ask('walrus')).results[0]?.excerpt).toContainEqual({ text: 'walrus', isHit: true })
})

/** The most that a file of the site may have. */
const MAX_BYTES = 5_000_000

const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
  'one word': (length) => 'w'.repeat(length),
  'different words': (length) =>
    Array.from({ length: length / 8 }, (_, index) => (index * 7919).toString(36)).join(' '),
  'different characters': (length) =>
    Array.from({ length: length / 2 }, (_, index) => String.fromCodePoint(0x20000 + ((index * 7919) % 40_000))).join(
      '',
    ),
  quotes: (length) => `'"\\\u2028\u2029</script>\r\n\0`.repeat(length / 16),
}

test.each(Object.entries(HOSTILE))('files stay small and inert with hostile texts: %s', async (_, textOf) => {
  const text = textOf(160_000)
  const { files, ask } = await searchSite([record('a', { title: text, text: `needle ${text}`, path: [text, text] })])
  for (const [path, file] of files) expect(Buffer.byteLength(file), path).toBeLessThan(MAX_BYTES)
  expect(addresses(await ask('needle'))).toContain('a.html')
})
