import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { expect, test } from 'vitest'
import { renderText } from '../src/html/text/render.ts'

const LINKED = { address: 'p.html', title: 'The *page* <b>\u202e' }

const render = async (text: string, title: string | null = null) => {
  const linkTo = async (url: string) => (/^(https:\/\/s\.example)?\/pages\/[pä]$/.test(decodeURI(url)) ? LINKED : null)
  const rendered = await renderText({ text, idPrefix: 't-', title, linkTo })
  return { ...rendered, html: String(rendered.markup) }
}

test('the same heading as the title is left out, others go one level down below it', async () => {
  const { html, headings } = await render('# The *plan*\n\n## A\n\n### B\n\n## A', 'The plan')
  expect(html).toBe('<h2 id="t-a">A</h2>\n<h3 id="t-b">B</h3>\n<h2 id="t-a-1">A</h2>')
  expect(headings).toEqual([
    { id: 't-a', level: 2, title: 'A' },
    { id: 't-b', level: 3, title: 'B' },
    { id: 't-a-1', level: 2, title: 'A' },
  ])
  expect((await render('# Other\n\n## A', 'The plan')).html).toBe('<h2 id="t-other">Other</h2>\n<h3 id="t-a">A</h3>')
})

test('text right behind the title, in HTML, is kept', async () => {
  expect((await render('# T\n</a>\na', 'T')).plain).toBe('a')
})

test('links lead to files, to places in the text, to the web, or nowhere', async () => {
  const { html } = await render(
    '# X\n\n[a](/pages/p) [b](#x) [c](https://e.example/?a=1&b) [d](/files/1) [e](//e.example/y) [f](mailto:a@b.c)',
  )
  expect(html).toContain('<a href="p.html">a</a> <a href="#t-x">b</a>')
  expect(html).toContain('<a href="https://e.example/?a=1&#x26;b" rel="noopener noreferrer" class="out">c</a>')
  expect(html).toContain('<span class="nowhere" title="/files/1 (not in this backup)">d</span>')
  expect(html).toContain('href="https://e.example/y"')
  expect(html).toContain('href="mailto:a@b.c"')
})

test('a link to the top leads to the top, in the text and in others', async () => {
  expect((await render('# X\n\n[a](#top) [b](#)')).html).toContain('<a href="#top">a</a> <a href="#">b</a>')
  expect((await render('# Top\n\n[a](#top)')).html).toContain('<a href="#t-top">a</a>')
})

test('text that is glued to an address is kept, beside the link or in it', async () => {
  const link = '<a href="p.html" dir="auto">The *page* &#x3C;b></a>'
  const text = '见https://s.example/pages/p，费用。及https://o.example/x、www.o.example。'
  expect((await render(text)).html).toBe(
    `<p>见${link}，费用。及<a href="https://o.example/x" rel="noopener noreferrer" class="out bare">https://o.example/x</a>、www.o.example。</p>`,
  )
  expect((await render('<a href=https://s.example/pages/p>zed</a> `<a href=/x>`')).html).toBe(
    '<p><a href="p.html">zed</a> <code>&#x3C;a href=/x></code></p>',
  )
})

test('a link whose text is its own address shows the title of the record', async () => {
  const shown = '<a href="p.html" dir="auto">The *page* &#x3C;b></a>'
  const url = 'https://s.example/pages/'
  for (const text of [`<${url}p>`, `${url}p`, `${url}ä`, `[${url}%C3%A4](${url}ä)`, '[/pages/p](/pages/p)']) {
    const { html, plain } = await render(text)
    expect(html, text).toBe(`<p>${shown}</p>`)
    expect(plain).toBe('The *page* <b>')
  }
  expect((await render('[/pages/p now](/pages/p) [x](/pages/p)')).html).not.toContain('The')
  expect((await render('https://e.example/p')).html).toContain(' class="out bare">https://e.example/p</a>')
})

test('footnotes and ids of HTML lead within their own text', async () => {
  const { html } = await render('one[^n]\n\n[^n]: note\n\n<p id="main">here</p>\n\n[to it](#main)')
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? '')
  expect(ids.every((id) => id.startsWith('t-'))).toBe(true)
  for (const [, target] of html.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target)
})

test('images and frames become links with their name, harmless HTML stays', async () => {
  const { html } = await render(
    '![plan](https://e.example/i.png) ![d](data:image/png;base64,AAAA)\n\n<iframe src="https://e.example/v"></iframe> H<sub>2</sub>O <u style="x" class="bar" onclick="y">u</u>',
  )
  expect(html).toContain('>image: plan</a>')
  expect(html).toContain('<span>image: d</span>')
  expect(html).toContain('<a href="https://e.example/v" rel="noopener noreferrer" class="out">embedded page</a>')
  expect(html).toContain('H<sub>2</sub>O <u>u</u>')
})

test('cells of tables keep their alignment, and no other style stays', async () => {
  const { html } = await render(
    '|a|b|\n|:-|-:|\n|1|2|\n\n<table><td style="text-align: center; color: red">x</td></table>',
  )
  expect(html).toContain('<th class="to-left">a</th>\n<th class="to-right">b</th>')
  expect(html).toContain('<td>x</td>')
})

test('bare addresses of a table stay in their cells', async () => {
  const { html } = await render('|a|https://b|\n|-|-|\n|https://c|www.d.co|\n<br>\n\ne')
  expect(html.match(/<t[hd]>.*?<\/t[hd]>/g)?.map((cell) => cell.replace(/<[^>]+>/g, ''))).toEqual([
    ...['a', 'https://b', 'https://c', 'www.d.co'],
  ])
})

test('an element that stays open hides nothing behind its block', async () => {
  for (const tag of ['<title>', '<textarea>', '<script>', '<style>', '<xmp>', '<!--']) {
    expect((await render(`- x ${tag} y\n\nshown`)).plain, tag).toContain('shown')
  }
  expect((await render('- <!--\n  x\n\nshown')).plain).toBe('shown')
})

test('U+0000 is shown as the replacement character', async () => {
  expect((await render('a\0b [c\0](/pages/p)')).html).toBe('<p>a\uFFFDb <a href="p.html">c\uFFFD</a></p>')
})

test('a text that cannot be parsed is shown as it was written', async () => {
  for (const text of [`<b>${'x'.repeat(300_001)}`, `${'> '.repeat(20_000)}<b>`, '<div>'.repeat(4000)]) {
    const { html, isRaw, plain } = await render(text)
    expect(isRaw, text.slice(0, 10)).toBe(true)
    expect(html).toMatch(/^<pre class="raw" tabindex="0">&(lt|gt);/)
    expect(plain).toBe(text)
  }
})

test('a text made to exhaust the parser is shown as written', async () => {
  for (const unit of ['> - ', 'www.a_', '_www.a', '&amp;', '[文', '<div>', '<ul><li>']) {
    const text = unit.repeat(300_000 / unit.length)
    expect(await render(text), unit).toMatchObject({ isRaw: true, plain: text })
  }
})

test('what can be found is the text, with gaps where blocks meet', async () => {
  expect((await render('# A\n\n- b\n- **c**d\n\n|x|y|\n|-|-|\n|1|2|\n\n<script>no</script>')).plain).toBe(
    'A b cd x y 1 2',
  )
})

const PIECES = [
  ...['<script>', '</script>', '<img src=x onerror=run()>', '<svg onload=run()>', '</svg>', '<math>', '<style>'],
  '</style>',
  ...['<a href="javascript:run()">', '</a>', '<iframe srcdoc="', '"', "'", '>', '<', '<!--', '-->', '<![CDATA[', ']]>'],
  ...['<p onclick="run()" style="x">', '</p>', '<textarea>', '<noscript>', '<template>', '<table>', '<td>', '<select>'],
  '<title>',
  ...['[x](javascript:run())', '![x](data:text/html,x)', '<javascript:run()>', '`', '```', '\n\n', '\n', ' ', '    '],
  ...['> ', '- ', '|'],
  ...['&#106;avascript:', '&lt;script&gt;', '\\', '*', '[^1]', '[^1]: ', '# ', 'java\tscript:', '\0', 'text'],
  ...['<form action=x>', '<base href=x>'],
]

const ALLOWED =
  /^(href|rel|class|title|id|tabindex|role|aria-label|aria-describedby|aria-labelledby|align|checked|disabled|type|start|data-footnote.*|lang|dir|open|colspan|rowspan|span|width|height|valign|cite|datetime|color|size|face|border|value|reversed|scope|summary|abbr|headers|hspace|vspace|char|charoff|compact|label|nohref|noshade|nowrap|rev|rules|shape|tabindex|target|accept|accept-charset|accesskey|action|axis|cellpadding|cellspacing|clear|coords|enctype|frame|hreflang|ismap|maxlength|media|method|multiple|name|prompt|readonly|selected|usemap|item.*)$/

test('for any combination, no element or attribute that runs or loads is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }), async (pieces) => {
      const { html } = await render(pieces.join(''))
      for (const element of elementsOf(parseFragment(html))) {
        expect(element.tagName).not.toMatch(
          /^(script|style|img|svg|math|iframe|form|base|meta|link|textarea|template|select|title|noscript)$/,
        )
        expect(element.namespaceURI).toBe('http://www.w3.org/1999/xhtml')
        for (const { name, value } of element.attrs) {
          expect(name).toMatch(ALLOWED)
          if (name === 'href') expect(value).toMatch(/^(#t-|https?:|mailto:|tel:|p\.html$)/)
        }
      }
    }),
    { numRuns: 300 },
  )
})

function elementsOf(root: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.Element[] {
  return root.childNodes.flatMap((node) => ('tagName' in node ? [node, ...elementsOf(node)] : []))
}
