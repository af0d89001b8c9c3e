import { describe, expect, test } from 'vitest'
import { readLinks } from '../src/markdown/destinations.ts'
import { rewriteLinks } from '../src/markdown/links.ts'
import { wantedParts } from '../src/markdown/wanted-parts.ts'
import { linksOfAllParts, linksOfParts, linksOfWhole } from './links-of-parts.ts'
import { CODE, CONTAINERS, DEFINITIONS, HTML, INLINE, LINES } from './markdown-cases.ts'

const matters = (text: string) => text.includes('/')

describe.each([
  { of: 'code', cases: CODE },
  { of: 'blocks in blocks', cases: CONTAINERS },
  { of: 'HTML', cases: HTML },
  { of: 'definitions', cases: DEFINITIONS },
  { of: 'what stands in a line', cases: INLINE },
  { of: 'lines', cases: LINES },
])('addresses, hard cases of $of', ({ cases }) => {
  test.each(cases)('%s', (_name, text, addresses) => {
    const urls = (links: ReturnType<typeof readLinks>) => links.destinations.map(({ url }) => url)
    expect(urls(readLinks(text))).toEqual(addresses)
    expect(linksOfAllParts(text)).toEqual(readLinks(text))
    expect(linksOfParts(text, matters)).toEqual(linksOfWhole(text, matters))
    // With text around it that has links of its own.
    const around = `[x](/8)\n\n${text}\n\n[y](/9)\n`
    expect(linksOfAllParts(around)).toEqual(readLinks(around))
  })
})

/** Where the links of a text lead, as its wanted parts tell. */
const led = (text: string) => linksOfParts(text, matters).wholes.map(({ url }) => url)

describe('definitions', () => {
  const apart = '\n\nmuch else\n\n'

  test('the first one of a label counts, even if it does not matter', () => {
    expect(led(`[a]: /1${apart}[a]${apart}[a]: /2`)).toEqual(['/1'])
    expect(led(`[a]${apart}[a]: x${apart}[b](/1)${apart}[a]: /2`)).toEqual(['/1'])
    expect(led(`> [a]: x${apart}[a]: /2${apart}[a]`)).toEqual([])
  })

  test('labels are the same in any case and with any space, but not with escapes resolved', () => {
    expect(led(`[ẞ  ΑΓΩ]${apart}[ SS\tαγω ]: /1`)).toEqual(['/1'])
    expect(led(`[a\\_b] [a_b]${apart}[a_b]: /1`)).toEqual(['/1'])
  })

  test('count in links and in what cannot hold one', () => {
    expect(led(`[a [b] c](/2)${apart}[b]: x`)).toEqual([])
    expect(led(`[a [b] c](/2)${apart}[b]:`)).toEqual(['/2'])
  })

  test('stand whole though they are far from what refers to them', () => {
    const text = `[a]${'\n\nword'.repeat(1_000)}\n\n[a]: /1`
    expect(wantedParts(text, matters, 20)).toHaveLength(2)
    expect(linksOfParts(text, matters)).toEqual(linksOfWhole(text, matters))
  })
})

test('what looks like a link in code is never rewritten', async () => {
  const file = { address: 'x.md', note: 'x', title: null }
  const code = [
    '`a\n[b](/1)`',
    '``\n<http://h/1> ` [c]: /1\n``',
    '> ```\n> [a](/1)\n\n',
    '-     [a](/1)',
    '<pre>\n\n[a](/1)</pre>',
  ]
  for (const text of code) {
    const parts = wantedParts(text, matters, Infinity) ?? []
    for (const style of ['relative', 'wiki'] as const) {
      expect(await rewriteLinks(text, style, async () => file, parts)).toBe(text)
    }
  }
})
