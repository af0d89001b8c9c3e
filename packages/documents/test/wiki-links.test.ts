import { describe, expect, test } from 'vitest'
import { type LinkStyle, rewriteLinks } from '../src/markdown/links.ts'

const rewritten = (text: string, title: string | null = 'The X', style: LinkStyle = 'wiki') =>
  rewriteLinks(text, style, async (url) => (/\d$/.test(url) ? { address: '../x.md', note: 'p/x', title } : null))

describe('wiki links', () => {
  test('have the text of the link, or the title where it has none', async () => {
    expect(await rewritten('[see this](/1 "t"), [](/2), <http://h/3>, http://h/4, [here](/x)')).toBe(
      '[[p/x|see this]], [[p/x|The X]], [[p/x|The X]], [[p/x|The X]], [here](/x)',
    )
    expect(await rewritten('<http://h/1>', ' \n')).toBe('[[p/x|Untitled]]')
    expect(await rewritten('<http://h/1>', null)).toBe('[[p/x|Untitled]]')
  })

  test('stand for references too, whose definition stays', async () => {
    expect(await rewritten('[a][D], [d][], [d], [e]\n\n[d]: /1\n[d]: /x\n[e]: /x')).toBe(
      '[[p/x|a]], [[p/x|d]], [[p/x|d]], [e]\n\n[d]: ../x.md\n[d]: /x\n[e]: /x',
    )
  })

  test('have escapes and references resolved, and no line breaks', async () => {
    expect(await rewritten('[a \\& b &amp; c\nd](/1)')).toBe('[[p/x|a & b & c d]]')
  })

  test('in tables have their bar escaped', async () => {
    expect(await rewritten('|h|\n|-|\n|[a](/1)|\n\n[b](/2)')).toBe('|h|\n|-|\n|[[p/x\\|a]]|\n\n[[p/x|b]]')
  })

  test('stand back where their text is more than such a link can show', async () => {
    for (const text of [
      ...['[![i](/1)](/2)', '[`c`](/2)', '[**b**](/2)', '[a\\|b](/2)', '[a [b] c](/2)', '[a <b>b</b>](/2)'],
      '[~b~](/2)',
    ]) {
      expect(await rewritten(text), text).toBe(text.replace('(/2)', '(../x.md)'))
    }
    expect(await rewritten('[\\<script>][d]\n\n[d]: /1')).toBe('[\\<script>][d]\n\n[d]: ../x.md')
    expect(await rewritten('http://h/1', ']]<script>')).toBe('[http://h/1](../x.md)')
    expect(await rewritten('[&amp;lt;](/1)')).toBe('[&amp;lt;](../x.md)')
    expect(await rewritten('[snake_case](/1)')).toBe('[[p/x|snake_case]]')
  })

  test('keep text that is, or may be, glued to an address', async () => {
    expect(await rewritten('详见http://h/1，费用为300元')).toBe('详见[[p/x|The X]]，费用为300元')
    expect(await rewritten('见http://h/1请看，及http://o/x。')).toBe('见[[p/x|The X]]请看，及<http://o/x>。')
    const all = (text: string) => rewriteLinks(text, 'wiki', async () => ({ address: '', note: 'p/x', title: 'The X' }))
    expect(await all('见http://h/1/请看')).toBe('见[[p/x|http://h/1/请看]]')
    expect(await all('见<http://h/1”请看> <http://h/1”>')).toBe('见[[p/x|http://h/1”请看]] [[p/x|http://h/1”]]')
  })

  test('have the fragment, as readers of notes write it', async () => {
    const place = (fragment: string) =>
      rewriteLinks('[a](/1)', 'wiki', async () => ({ address: `x.md${fragment}`, note: 'p/x', fragment, title: null }))
    expect(await place('#top')).toBe('[[p/x#top|a]]')
    expect(await place('#第二章')).toBe('[[p/x#第二章|a]]')
    expect(await place('#%E7%AC%AC%E4%BA%8C%E7%AB%A0')).toBe('[[p/x#第二章|a]]')
    expect(await place('#100%')).toBe('[[p/x#100%|a]]')
    for (const fragment of ['#a|b', '#a]]b', '#a%23b', '#a%0Ab'])
      expect(await place(fragment)).toBe(`[a](x.md${fragment})`)
  })

  test('are not made where they would mean something else', async () => {
    for (const text of ['[a](/1)(b)', '[d]: [a]( /1 "t")', '[a](/1)[b]', '[a](/1)www.h.co'])
      expect(await rewritten(text)).toBe(text.replace('/1', '../x.md'))
  })

  test('are not made of links in HTML, nor of images and code', async () => {
    const text = '<a href="/1">x</a> ![i](/1) `[a](/1)`\n\n```\n[a](/1)\n```\n'
    expect(await rewritten(text)).toBe(text.replace('href="/1"', 'href="../x.md"'))
  })
})

test('links left as they are leave every byte, and every address is asked for', async () => {
  const text = '[a](/1) <http://h/2>\r\n\n<a href="/3">'
  const asked: string[] = []
  const same = await rewriteLinks(text, 'none', async (url) => {
    asked.push(url)
    return { address: 'x', note: 'x', title: null }
  })
  expect(same).toBe(text)
  expect(asked).toEqual(['/1', 'http://h/2', '/3'])
})
