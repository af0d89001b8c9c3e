import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { type LinkStyle, relativeAddress, rewriteLinks } from '../src/markdown/links.ts'
import { readLinks } from '../src/markdown/read-links.ts'

const linkDestinations = (text: string) => readLinks(text).destinations
const urls = (text: string) => linkDestinations(text).map(({ url }) => url)

const FILE = { address: '../x.md', note: 'p/x', title: 'The X' }

/** Every address that ends in a digit leads to `x`. */
const rewritten = (text: string, style: LinkStyle = 'relative', title: string | null = FILE.title) =>
  rewriteLinks(text, style, async (url) => (/\d$/.test(url) ? { ...FILE, title } : null))

describe('addresses are found', () => {
  test('in inline links, definitions, autolinks and bare URLs, in their order', () => {
    const text = '[a](/p/1) [b](</p/2> "t")\n\n<http://h/p/3> and http://h/p/4.\n\n[c]\n\n[c]: http://h/p/5\n'
    expect(urls(text)).toEqual(['/p/1', '/p/2', 'http://h/p/3', 'http://h/p/4', 'http://h/p/5'])
  })

  test('once where a link shows its own address', () => {
    expect(urls('[http://h/1](http://h/2)')).toEqual(['http://h/2'])
  })
})

describe('rewriting', () => {
  test('replaces addresses and leaves every other byte', async () => {
    expect(await rewritten('[a]( </p/1>  "t" )\r\n\ttail  \n\n\n[b](/p/x)\n')).toBe(
      '[a]( <../x.md>  "t" )\r\n\ttail  \n\n\n[b](/p/x)\n',
    )
  })

  test('keeps a bare address as the text of its link', async () => {
    expect(await rewritten('see http://h/a_b/1, <http://h/2>!')).toBe(
      'see [http://h/a\\_b/1](../x.md), [http://h/2](../x.md)!',
    )
  })

  test('leaves a text without links of ours as it is', async () => {
    fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 300 }), async (text) => {
        expect(await rewriteLinks(text, 'relative', async () => null)).toBe(text)
      }),
    )
  })

  // That nothing but addresses changes, wherever they stand: rewriting.test.ts.

  test('of a bare address ends it where text is glued to it', async () => {
    const sentence = '详见http://h/p/1，费用为300元，请确认。'
    expect(await rewritten(sentence)).toBe('详见[http://h/p/1](../x.md)，费用为300元，请确认。')
    expect(await rewritten('见http://h/1请看，及https://o.org/a_b、www.h.co/2。')).toBe(
      '见[http://h/1](../x.md)请看，及<https://o.org/a_b>、www\\.h.co/2。',
    )
    expect(await rewritten('（http://h/1）和http://h/2*a*')).toBe('（[http://h/1](../x.md)）和<http://h/2*a>*')
    expect(await rewritten('http://h/1”*a*')).toBe('[http://h/1](../x.md)”\\*a*')
    expect(await rewritten('`a http://h/1``')).toBe('`a [http://h/1](../x.md)&#96;&#96;')
    expect(urls('http://h/1#第二章，http://h/文/2')).toEqual(['http://h/1#第二章', 'http://h/文/2'])
  })

  test('of a bare address makes no image, text or definition of what surrounds it', async () => {
    expect(await rewritten('注!http://h/1 \\http://h/2 \\!http://h/3')).toBe(
      '注\\![http://h/1](../x.md) \\\\[http://h/2](../x.md) \\![http://h/3](../x.md)',
    )
    expect(await rewritten('见http://h/1请!http://h/2')).toBe('见[http://h/1](../x.md)请\\![http://h/2](../x.md)')
    for (const text of [
      ...['[d]http://h/1\n\n[d]: /x', '[d]: <http://h/1>x', 'https://o/a<http://h/1>', '文**http://h/1**'],
      ...['http://h/1**!**', '[a http://h/a&amp;1', '[a](<http://h/1>b)'],
      ...['[e]: <\\<https://h/1> -->', '[a](<b http://h/1> c>)'],
      ...['<a href=http://h/p/1`>', '<a href=[a](http://h/?a=/1)&amp;>'],
    ])
      expect(await rewritten(text)).toBe(text)
    expect(await rewritten('**http://h/1** **http://h/2**.')).toBe(
      '**[http://h/1](../x.md)** **[http://h/2](../x.md)**.',
    )
  })

  test('gives links that render as links', async () => {
    const html = micromark(await rewritten('see http://h/a_b/1 and [t](/p/2)'), {
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
    })
    expect(html).toBe('<p>see <a href="../x.md">http://h/a_b/1</a> and <a href="../x.md">t</a></p>')
  })
})

test('a relative address leads from one file to the other', () => {
  expect(relativeAddress('m/p/pages/a.md', 'm/p/pages/b.md')).toBe('b.md')
  expect(relativeAddress('m/p/pages/a.md', 'm/p/pages/a/b.md')).toBe('a/b.md')
  expect(relativeAddress('m/p/pages/a/b.md', 'm/p/pages/a.md')).toBe('../a.md')
  expect(relativeAddress('m/p/pages/a/b.md', 'm/q/posts/c.md')).toBe('../../../q/posts/c.md')
  expect(relativeAddress('m/p/pages/a.md', 'm/p/pages/a.md')).toBe('a.md')
})
