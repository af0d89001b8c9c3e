import { expect, test } from 'vitest'
import { renderText } from '../src/html/text/render.ts'

const render = async (text: string) => {
  const { markup, dir } = await renderText({ text, idPrefix: 't-', title: null, linkTo: async () => null })
  return { html: String(markup), dir }
}

test('a text has the direction of most of its words, not of its first one', async () => {
  expect((await render('HTTP هو بروتوكول نقل')).dir).toBe('rtl')
  expect((await render('We call it שלום and continue')).dir).toBe('ltr')
  expect((await render('Plain')).dir).toBe('ltr')
  expect((await render('`let long = english`')).dir).toBe('ltr')
  expect((await render('شغّل `npm run build --workspace packages/documents --watch`')).dir).toBe('rtl')
  expect((await render('انظر https://a.example/b https://a.example/c www.a.example')).dir).toBe('rtl')
  expect((await render('&#1576;&#1575;&#1576;')).dir).toBe('rtl')
})

test('code is written from left to right in a text from right to left', async () => {
  const { html, dir } = await render('مرحبا بالعالم\n\n```\nlet a\n```\n\n    b')
  expect(dir).toBe('rtl')
  expect(html.match(/<pre [^>]*>/g)).toEqual(['<pre dir="ltr" tabindex="0">', '<pre dir="ltr" tabindex="0">'])
})

test('blocks in another direction than their surroundings say so, others do not', async () => {
  const { html } = await render(
    '# عنوان\n\nفقرة عربية هنا\n\nAn English paragraph\n\n- بند عربي\n- An English item\n\n> English quote',
  )
  expect(html).toContain('<h2 id="t-عنوان">')
  expect(html).toContain('<p>فقرة')
  expect(html).toContain('<p dir="ltr">An English')
  expect(html).toContain('<ul>\n<li>بند عربي</li>')
  expect(html).toContain('<blockquote dir="ltr">\n<p>English quote')
})

test('a table has the direction of its text', async () => {
  const { html } = await render(
    'English text with many more words than its table\n\n|خدمة|مالك|\n|-|-|\n|بحث|Ann|\n|تصدير|12|',
  )
  expect(html).toContain('<div class="wide" tabindex="0" role="group" aria-label="Table" dir="rtl"><table>')
})

test('a direction that HTML in the text says is kept', async () => {
  const { html, dir } = await render('<div dir="rtl">\n\nEnglish\n\n```\ncode\n```\n\n</div>')
  expect(dir).toBe('ltr')
  expect(html).toContain('<div dir="rtl">\n<p dir="ltr">English')
  expect(html).toContain('<pre dir="ltr"')
})
