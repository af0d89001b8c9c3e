import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { expect, test } from 'vitest'
import { GRAMMARS } from '../src/html/text/grammars.ts'
import { renderText } from '../src/html/text/render.ts'

const render = async (text: string) => {
  const { markup, plain } = await renderText({ text, idPrefix: 't-', title: null, linkTo: async () => null })
  return { html: String(markup), plain }
}

const fenced = (language: string, code: string) => `\`\`\`\`${language}\n${code}\n\`\`\`\``

test('code with a language has classes, and its text unchanged', async () => {
  const { html, plain } = await render(fenced('ts', "const a = 'x' // <b>"))
  expect(html).toBe(
    '<pre tabindex="0"><code class="language-ts"><span class="hl-keyword">const</span> a = <span class="hl-string">\'x\'</span> <span class="hl-comment">// &#x3C;b></span>\n</code></pre>',
  )
  expect(plain).toBe("const a = 'x' // <b>")
})

test('a language is known by its usual names, with or without notes behind it', async () => {
  for (const language of [
    ...['js', 'JavaScript', 'ts {1,3}', 'js:app.js', 'C++', 'c#', 'toml', 'Dockerfile', 'sh', 'yml'],
  ]) {
    const { html } = await render(fenced(language, 'FROM x # "a"\nif (a == "b") { b: 1 } // x'))
    expect(html, language).toContain('<span class="hl-')
  }
})

test('code without a language, or in an unknown one, has no classes', async () => {
  for (const language of ['', 'text', 'mermaid', '__proto__', 'constructor', 'toString', '\u0000', 'language-js']) {
    expect((await render(fenced(language, 'if (a) "b"'))).html, language).not.toContain('<span')
  }
  expect((await render('    if (a) "b"')).html).not.toContain('<span')
})

test('long blocks, long lines and the blocks after much code have no classes', async () => {
  const line = `let a = "${'x'.repeat(60)}"\n`
  expect((await render(fenced('js', line.repeat(100)))).html).toContain('<span')
  expect((await render(fenced('js', line.repeat(200)))).html).not.toContain('<span')
  expect((await render(fenced('js', `"${'x'.repeat(1_000)}"`))).html).not.toContain('<span')
  const blocks = Array.from({ length: 5 }, () => fenced('js', line.repeat(130)))
  const { html } = await render([...blocks, fenced('js', 'let b')].join('\n\n'))
  expect(html.split('<pre').map((block) => block.includes('hl-keyword'))).toEqual([
    false,
    true,
    true,
    true,
    false,
    false,
    true,
  ])
})

test('HTML within code keeps its elements instead of classes', async () => {
  const { html } = await render('<pre><code class="language-js hl-keyword">let <b>x</b></code></pre>')
  expect(html).toBe('<pre tabindex="0"><code class="language-js">let <b>x</b></code></pre>')
})

test('deeply nested code stays within a few elements of depth', async () => {
  for (const [language, unit] of [
    ['bash', '${'],
    ['rust', '/*'],
    ['swift', '/*\n'],
    ['php', 'fn if(\n'],
  ] as const) {
    const { html } = await render(fenced(language, `${unit.repeat(400)}\n`.repeat(3)))
    expect(deepest(parseFragment(html)), language).toBeLessThan(30)
  }
})

const PIECES = [
  ...['<script>', '</script>', '<img src=x onerror=run()>', '</span>', '</code></pre>', '<!--', '-->', '&lt;', '"'],
  "'",
  ...['`', '${', '}', '{', '(', ')', '/*', '*/', '//', '#', '\n', ' ', '<?php ', '?>', '<style>', 'class ', 'a', '0'],
  '@',
]

test('for any code in any language, nothing but text and our own classes comes of it', async () => {
  const languages = fc.constantFrom(...Object.keys(GRAMMARS))
  await fc.assert(
    fc.asyncProperty(languages, fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), async (language, pieces) => {
      const code = pieces.join('')
      const { html } = await render(fenced(language, code))
      const [pre] = parseFragment(html).childNodes
      if (pre === undefined || !('tagName' in pre)) throw new Error(html)
      expect(textOf(pre)).toBe(code === '' ? '' : `${code}\n`)
      for (const element of elementsOf(pre).slice(1)) {
        expect(element.tagName).toBe('span')
        expect(element.attrs).toEqual([{ name: 'class', value: expect.stringMatching(/^hl-[a-z]+$/) }])
      }
    }),
    { numRuns: 100 },
  )
})

function elementsOf(root: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.Element[] {
  return root.childNodes.flatMap((node) => ('tagName' in node ? [node, ...elementsOf(node)] : []))
}

function textOf(root: DefaultTreeAdapterTypes.ParentNode): string {
  return root.childNodes
    .map((node) => ('value' in node ? node.value : 'childNodes' in node ? textOf(node) : ''))
    .join('')
}

function deepest(root: DefaultTreeAdapterTypes.ParentNode): number {
  return Math.max(0, ...root.childNodes.map((node) => ('childNodes' in node ? 1 + deepest(node) : 1)))
}
