import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { COMMENTS_MARKER } from '../src/markdown/comments.ts'
import { type FrontMatter, pageDocument, postDocument } from '../src/markdown/document.ts'
import { inlineCode, inlineText } from '../src/markdown/inline.ts'
import type { ShownComment } from '../src/views/comments.ts'

const ABOUT: FrontMatter = {
  id: 'a1',
  pid: 'p1',
  kind: 'page',
  title: 'No',
  parentId: null,
  createdAt: '2024-01-02T03:04:05.006Z',
  updatedAt: null,
  owner: { uid: 'u1', name: 'Ann' },
  watchers: [
    { uid: 'u1', name: 'Ann' },
    { uid: '007', name: null },
  ],
}

const wellFormed = fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => text.toWellFormed())

/** The text between the fences, and what follows them, as a reader parses it. */
function split(document: string): { about: unknown; body: string } {
  const end = document.indexOf('\n---\n', 3)
  return { about: parse(document.slice(4, end + 1)), body: document.slice(end + '\n---\n'.length) }
}

describe('front matter', () => {
  test('reads as it is documented', () => {
    expect(pageDocument(ABOUT, '# Hi')).toBe(
      [
        ...['---', 'id: "a1"', 'pid: "p1"', 'kind: "page"', 'title: "No"', 'parent_id: null'],
        ...['created_at: "2024-01-02T03:04:05.006Z"', 'updated_at: null', 'owner:', '  uid: "u1"', '  name: "Ann"'],
        ...['watchers:', '  - uid: "u1"', '    name: "Ann"', '  - uid: "007"', '    name: null', '---', '# Hi'],
      ].join('\n'),
    )
  })

  test('gives back any title, id and name through a YAML library, and the content to the byte', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, wellFormed, (title, name, content) => {
        const about = { ...ABOUT, title, id: title, owner: { uid: name, name }, aliases: [name] }
        const { about: read, body } = split(pageDocument(about, content))
        expect(read).toMatchObject({ id: title, title, owner: { uid: name, name }, aliases: [name] })
        expect(body).toBe(content)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ...['---', 'no', '2024-01-01', '!!js/function x', '&a *a', '"', "'", '\\', '%TAG', '\u2028---\u2028', '\uFEFF'],
    '\u0085',
  ])('takes the title %j for a text', (title) => {
    const { about } = split(pageDocument({ ...ABOUT, title }, ''))
    expect(about).toMatchObject({ title, id: 'a1' })
  })

  test('says where the content is a summary', () => {
    expect(split(pageDocument({ ...ABOUT, contentFrom: 'summary' }, '')).about).toMatchObject({
      content_from: 'summary',
    })
    expect(split(pageDocument({ ...ABOUT, watchers: [], owner: null }, '')).about).toMatchObject({
      watchers: [],
      owner: null,
    })
  })
})

describe('a post', () => {
  const comment: ShownComment = {
    ...{
      cid: 'c1',
      author: { uid: 'u2', name: 'Bo *b*' },
      createdAt: '2024-02-03T00:00:00.000Z',
      text: 'Hello',
      type: 1,
    },
    attachments: [{ fid: 'f`1', name: 'a_b.pdf' }],
  }
  const post = { ...ABOUT, kind: 'post' } as const

  test('shows its comments under its content', () => {
    const { about, body } = split(
      postDocument(post, 'Text', [
        comment,
        { ...comment, cid: '-->', author: null, text: '', type: 2, attachments: [], createdAt: null },
      ]),
    )
    expect(about).toMatchObject({ content_bytes: 4, comments: 2 })
    expect(body).toBe(
      [
        ...['Text', '', '<!-- collab-export: comments -->', '', '## Comments (2)', ''],
        ...['<!-- collab-export: comment c1 -->', '', '### Bo \\*b\\*, 2024-02-03T00:00:00.000Z', '', 'Hello', ''],
        ...['Attachments:', '', '- a\\_b.pdf (file ``f`1``)', '', '<!-- collab-export: comment %2D%2D%3E -->', ''],
        ...['### unknown, no date (emotion)', ''],
      ].join('\n'),
    )
  })

  test('without comments ends with its content', () => {
    expect(split(postDocument(post, 'Text', [])).body).toBe('Text')
  })

  test('can be parsed again, for any content and comments', () => {
    const text = fc.oneof(wellFormed, fc.constantFrom(`\n\n${COMMENTS_MARKER}\n`, '---\n', '```'))
    fc.assert(
      fc.property(text, fc.array(text), (content, texts) => {
        const comments = texts.map((text) => ({ ...comment, text }))
        const { about, body } = split(postDocument(post, content, comments))
        const bytes = (about as { content_bytes: number }).content_bytes
        const rest = Buffer.from(body).subarray(bytes).toString()
        expect(Buffer.from(body).subarray(0, bytes).toString()).toBe(content)
        if (comments.length === 0) expect(rest).toBe('')
        // behind one line at most, which ends what the content leaves open
        else expect(rest.replace(/^\n?[^\n]+(?=\n\n)/, '').startsWith(`\n\n${COMMENTS_MARKER}\n`)).toBe(true)
      }),
    )
  })
})

describe('a text in a line', () => {
  const html = (markdown: string) => micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  const encoded = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

  test('shows its characters and does nothing else', () => {
    const word = fc.constantFrom(
      ...['*', '_', '**', '`', '[', ']', '(', ')', '<', '>', '&amp;', '&', '#', '|', '~', '\\', '!', ' ', 'a', '-'],
      ...['1.', '文'],
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
        const text = `x${words.join('')}x`
        expect(html(`- ${inlineText(text)}`)).toBe(`<ul>\n<li>${encoded(text)}</li>\n</ul>`)
        expect(html(`# ${inlineText(text)}`)).toBe(`<h1>${encoded(text)}</h1>`)
      }),
      { numRuns: 1000 },
    )
  })

  test('loses line breaks, controls and marks that reorder what is shown', () => {
    expect(inlineText('a\r\n# b\u0007\u202ec\u2028')).toBe('a \\# b c')
  })

  test('in code keeps its backticks', () => {
    expect(html(inlineCode('a`b'))).toBe('<p><code>a`b</code></p>')
    expect(html(inlineCode('`'))).toBe('<p><code>`</code></p>')
  })
})
