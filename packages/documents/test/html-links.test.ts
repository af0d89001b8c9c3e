import { describe, expect, test } from 'vitest'
import { rewriteLinks } from '../src/markdown/links.ts'
import { readLinks } from '../src/markdown/read-links.ts'

const urls = (text: string) => readLinks(text).destinations.map(({ url }) => url)

const rewritten = (text: string) =>
  rewriteLinks(text, 'relative', async (url) => (/\d$/.test(url) ? { address: 'x.md', note: 'x', title: null } : null))

describe('links in HTML are found', () => {
  test('in a paragraph, in a block, in quotes and lists, among links of Markdown', () => {
    const text =
      '[m](/1) <a href="/2">b</a>\n\n<div>\n  <a class=x href="/3">c</a>\n</div>\n\n> - <p><A HREF=\'/4\'>d</A>\n'
    expect(urls(text)).toEqual(['/1', '/2', '/3', '/4'])
  })

  test('with and without quotes, over several lines, with references resolved', () => {
    expect(urls('<a\n  title="a > b"\n  href = "/a?b=1&amp;c=2">x</a>')).toEqual(['/a?b=1&c=2'])
    expect(urls('<div><a href=/1>x</a> <area href="/2"/></div>')).toEqual(['/1', '/2'])
    expect(urls('> <a\n> href="/1">x</a>')).toEqual(['/1'])
  })

  test('never in Markdown code, HTML code, comments, scripts or texts', () => {
    const texts = [
      ...['`<a href="/1">`', '```html\n<a href="/1">\n```', '    <a href="/1">', '<!-- <a href="/1"> -->'],
      ...[
        '<pre><a href="/1">x</a></pre>',
        '<code><a href="/1">x</a></code>',
        '<div><code>\n<a href="/1">x</a></code></div>',
      ],
      ...[
        '<script>\nx = \'<a href="/1">\'\n</script>',
        '<textarea><a href="/1"></textarea>',
        '<style><a href="/1"></style>',
      ],
      ...['<template><a href="/1"></template>', '\\<a href="/1">', '<div title=\'<a href="/1">\'>'],
    ]
    for (const text of texts) expect(urls(text), text).toEqual([])
  })

  test('behind code that was closed', () => {
    expect(urls('<code>x</code> <a href="/1">x</a>\n\n</pre>\n\n<pre>\n</pre>\n\n<p><a href="/2">y</a>')).toEqual([
      '/1',
      '/2',
    ])
  })

  test('the first of two, none without a value, none of other elements', () => {
    expect(urls('<a href="/1" href="/2">x</a> <a href>y</a> <a href="">z</a> <base href="/3">')).toEqual(['/1', ''])
  })
})

describe('links in HTML are rewritten', () => {
  test('as a value in double quotes, all else staying as it was', async () => {
    expect(await rewritten("<a   href=x1   id=a>x</a> & <A\tHref = '/2'>y</A>")).toBe(
      '<a   href="x.md"   id=a>x</a> & <A\tHref = "x.md">y</A>',
    )
    expect(await rewritten('> <div>\n>\t<a href="/1">x</a>\r\n> </div>')).toBe(
      '> <div>\n>\t<a href="x.md">x</a>\r\n> </div>',
    )
  })

  test('without quotes and with slashes, as CommonMark reads them, but never in code', async () => {
    expect(await rewritten('<a href=https://h/p/1>zed</a> x <A id=/ href=/p/2/3 >y</A>')).toBe(
      '<a href="x.md">zed</a> x <A id=/ href="x.md" >y</A>',
    )
    for (const text of ['`<a href=/p/1>`', '\\<a href=https://h/p/1>', '<a href=/p/1 =>', '    <a href=/p/1>'])
      expect(await rewritten(text)).toBe(text)
    expect(await rewritten('[\\<a href=/x>](/p/1) \ue000')).toBe('[\\<a href=/x>](x.md) \ue000')
  })

  test('not where the address continues after the mark of a quote', async () => {
    const text = '> <div><a href="/p\n> /1">x</a></div>'
    expect(await rewritten(text)).toBe(text)
  })

  test('of many elements that stay open are found in time', () => {
    expect(urls(`${'<b a><i b><a href="/1">'.repeat(3000)}\n`)).toHaveLength(3000)
  })
})
