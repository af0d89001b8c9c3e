import { rounds } from '@collab-etl/harness/thorough'
import { drawsNewCases } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closed } from '../src/markdown/closing-line.ts'
import { COMMENTS_MARKER } from '../src/markdown/comments.ts'
import { postDocument } from '../src/markdown/document.ts'
import { quoted } from '../src/markdown/quoted.ts'
import type { ShownComment } from '../src/views/comments.ts'
import { markdownTexts } from './markdown-texts.ts'
import { commonmarkTree, gfmTree, satteriTree, type TreeNode } from './oracle/trees.ts'
import { textsWithLinks } from './texts-with-links.ts'

const ABOUT = {
  id: '1',
  pid: 'p',
  kind: 'post' as const,
  title: 'T',
  parentId: null,
  createdAt: null,
  updatedAt: null,
  owner: null,
  watchers: [],
}

const comment = (cid: string, text: string): ShownComment => {
  return {
    cid,
    author: { uid: 'u', name: 'Ann' },
    createdAt: null,
    text,
    type: 1,
    attachments: [{ fid: 'f', name: 'plan' }],
  }
}

/** The text of a post behind its front matter. */
function bodyOf(content: string, comments: readonly ShownComment[]): string {
  const text = postDocument(ABOUT, content, comments)
  return text.slice(text.indexOf('\n---\n') + '\n---\n'.length)
}

/** What follows the content, as a reader reads it. */
function behind(body: string, treeOf: typeof gfmTree): readonly TreeNode[] {
  const nodes = treeOf(body, () => false).children ?? []
  return nodes.slice(nodes.findIndex(({ value }) => value === COMMENTS_MARKER))
}

/** What may begin something that stays open, and what may end it or seem to. */
const piece = fc.constantFrom(
  ...['```', '````', '~~~', '~~~~ js', '``` a`b', '<!--', '<!-- x', '-->', '<?', '?>', '<!X', '>', '<![CDATA[', ']]>'],
  ...['<pre>', '</pre>', '<script', '</SCRIPT>', '<STYLE>', '</style>', '<textarea a="b">', '<div>', '</div>', '<x-y>'],
  '<a',
  ...['- ', '1. ', '2. ', '> ', '# ', '    ', '\t', '   ', '[a]: ', '[^n]: ', '| a |', '|-|', '===', '---', 'x', '文'],
  ...['\\', '`'],
  ...['\n', '\n', '\n', '\n\n', '\r\n', '\r', ' ', '\n  ', '\n    '],
)
const texts = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((all) => all.join('')),
  markdownTexts,
  textsWithLinks,
)

/** In `npm test` and in CI always the same texts: what new ones show is for `npm run test:thorough`. */
const cases = () => ({ numRuns: rounds(100, 30_000), ...(drawsNewCases() ? {} : { seed: 1 }) })

describe('no content changes what follows it', { tags: 'thorough', timeout: 3_600_000 }, () => {
  test.each([
    { reader: 'mdast', treeOf: gfmTree },
    { reader: 'the reference implementation of CommonMark', treeOf: commonmarkTree },
    { reader: 'satteri', treeOf: satteriTree },
  ])('the comments of a post, as $reader reads them', ({ treeOf }) => {
    const follows = comment('c', 'y')
    const expected = behind(bodyOf('', [comment('b', ''), follows]), treeOf)
    fc.assert(
      fc.property(texts, texts, (content, text) => {
        const found = behind(bodyOf(content, [comment('b', text), follows]), treeOf)
        // between the heading of the comment and the list of its files
        expect([...found.slice(0, 4), ...found.slice(4 - expected.length)]).toEqual(expected)
      }),
      cases(),
    )
  })

  test('the next section of a list', () => {
    const after = gfmTree('# y', () => false).children
    fc.assert(
      fc.property(texts, (text) => {
        const nodes = gfmTree(`${quoted(text)}\n# y`, () => false).children ?? []
        expect(nodes.filter(({ type }) => type !== 'blockquote')).toEqual(after)
      }),
      cases(),
    )
  })
})

/** The lines behind a text that close what it leaves open. */
const linesBehind = (text: string) => closed(text).slice(text.length).trim().split('\n')
const END_OF_HTML = '<!-- ?> ]]> --></script></style></textarea></pre>'

describe('behind a text', () => {
  test.each([
    ...['plain\n- a\n\n1. b', '```js\n<!-- <pre>\n```\n\nx'],
    ...['- a\n\n  ```js\n  const a = 1\n\n    const b = 2\n  ```\n- b', '- ```\n  a\n  ```\n\n1. ~~~\n\n   b'],
    ...['1.  a\n\n    ~~~\n    ```\n    ~~~\n', 'see <https://o.org>\n```\na\n```', '```npm i``` and ``` x ``` then'],
    ...['> ```\n> a\n\nb', '<!-- a -->\n\n<pre>\n\na</pre>\n\n<details>\n\n```\na\n```\n\n</details>\n', 'a <!-- b'],
  ])('that surely leaves nothing open, nothing follows: %j', (text) => {
    expect(closed(text)).toBe(text)
  })

  test.each([
    ['a\n````js\nb\n```', '````'],
    ['- a\n\n~~~ x\n- b\n', '~~~'],
    ['<!-- a', '-->'],
    ['<?php', '?>'],
    ['<![CDATA[\n', ']]>'],
    ['<!DOCTYPE', '>'],
    ['a\r\n<SCRIPT>\r\n', '</script></style></textarea></pre>'],
  ])('that surely leaves a block open, the line that closes it: %j', (text, line) => {
    expect(linesBehind(text)).toEqual([line])
  })

  test.each([
    ['a code fence whose end may be that of another list item', '- ```\n  a\n```'],
    ['a code fence that may be in a list item', ' [d]: /x\n- \n ```\n\n- \n'],
    ['a code fence that may be HTML', '<div>\n```\n\n```\n'],
    ['a code fence behind what some readers take for a tag', '<style\u000b\n```\n'],
    ['a code fence that may be text', 'a\n2. ```\n   b\n   ```'],
    ['a code fence behind a byte order mark', '\uFEFF```'],
    ['a code fence that may be a tag of another line', '[^n]: \n</a>\n```\n'],
    ['a code fence that may be code already', 'a\n\n    ```\n  b\n    ```\n'],
  ])('that may leave %s open, lines that close either', (_, text) => {
    expect(linesBehind(text)).toEqual(['<!--', '```', '<!-- -->', END_OF_HTML])
  })

  test('that may leave anything open, lines that close it', () => {
    const text = '- ```\n- ~~~~\n  ~~~\n'
    expect(linesBehind(text)).toEqual(['<!--', '```', '<!-- -->', '<!--', '~~~~', '<!-- -->', END_OF_HTML])
    const lines = closed(text).slice(text.length)
    for (const open of ['', 'a', '<div>', '```', '~~~~ a', '<!--', '<?', '<![CDATA[', '<!A', '<pre>', '<script>'])
      for (const treeOf of [gfmTree, commonmarkTree]) {
        const [last] = treeOf(`${open}\n${lines}\n\n# y`, () => false).children?.slice(-1) ?? []
        expect(last, open).toEqual(treeOf('# y', () => false).children?.[0])
      }
  })
})

describe('a quote closes HTML that its text leaves open, for browsers', () => {
  test('by its end', () => {
    expect(quoted('a\n\n<!-- x\n')).toBe('> a\n>\n> <!-- x\n> -->\n')
  })

  test.each(['2. <!-- x', '- <!-- x', '> <!-- x', '<pre>\n</script>'])(
    'by all ends, if readers may disagree: %j',
    (text) => {
      expect(quoted(text).split('\n').at(-2)).toBe(`> ${END_OF_HTML}`)
    },
  )

  test('and leaves code fences to the quote', () => {
    expect(quoted('- ```\n```')).toBe('> - ```\n> ```\n')
  })
})
