import { describe, expect, test } from 'vitest'
import { rewriteLinks } from '../src/markdown/links.ts'
import { readLinks } from '../src/markdown/read-links.ts'
import { CODE, CONTAINERS, DEFINITIONS, HTML, INLINE, LINES } from './markdown-cases.ts'

describe.each([
  { of: 'code', cases: CODE },
  { of: 'blocks in blocks', cases: CONTAINERS },
  { of: 'HTML', cases: HTML },
  { of: 'definitions', cases: DEFINITIONS },
  { of: 'within a line', cases: INLINE },
  { of: 'lines', cases: LINES },
])('addresses, hard cases of $of', ({ cases }) => {
  test.each(cases)('%s', (_name, text, addresses) => {
    expect(readLinks(text).destinations.map(({ url }) => url)).toEqual(addresses)
  })
})

const led = (text: string) =>
  readLinks(text)
    .wholes.map(({ url }) => url)
    .filter((url) => url.includes('/'))

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
})

test('what looks like a link in code is never rewritten', async () => {
  const file = { address: 'x.md', note: 'x', title: null }
  const code = [
    ...['`a\n[b](/1)`', '``\n<http://h/1> ` [c]: /1\n``', '> ```\n> [a](/1)\n\n', '-     [a](/1)'],
    '<pre>\n\n[a](/1)</pre>',
  ]
  for (const text of code) {
    for (const style of ['relative', 'wiki'] as const) {
      expect(await rewriteLinks(text, style, async () => file)).toBe(text)
    }
  }
})
