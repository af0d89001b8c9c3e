import { rounds } from '@collab-etl/harness/thorough'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMMENTS_MARKER } from '../src/markdown/comments.ts'
import { postDocument } from '../src/markdown/document.ts'
import { quoted } from '../src/markdown/quoted.ts'
import type { ShownComment } from '../src/views/comments.ts'
import { markdownTexts } from './markdown-texts.ts'
import { commonmarkTree, gfmTree, type TreeNode } from './oracle/trees.ts'
import { textsWithLinks } from './texts-with-links.ts'

const ABOUT = {
  ...{ id: '1', pid: 'p', kind: 'post' as const, title: 'T', parentId: null, createdAt: null, updatedAt: null },
  ...{ owner: null, watchers: [] },
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
  ...[
    '<pre>',
    '</pre>',
    '<script',
    '</SCRIPT>',
    '<STYLE>',
    '</style>',
    '<textarea a="b">',
    '<div>',
    '</div>',
    '<x-y>',
    '<a',
  ],
  ...[
    '- ',
    '1. ',
    '2. ',
    '> ',
    '# ',
    '    ',
    '\t',
    '   ',
    '[a]: ',
    '[^n]: ',
    '| a |',
    '|-|',
    '===',
    '---',
    'x',
    '文',
    '\\',
    '`',
  ],
  ...['\n', '\n', '\n', '\n\n', '\r\n', '\r', ' ', '\n  ', '\n    '],
)
const texts = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((all) => all.join('')),
  markdownTexts,
  textsWithLinks,
)

/** In `npm test` always the same texts: what new ones show is for `npm run test:thorough`. */
const cases = () => ({ numRuns: rounds(500, 30_000), ...(isThorough() ? {} : { seed: 1 }) })

describe('no content changes what follows it', { tags: 'thorough', timeout: 3_600_000 }, () => {
  test.each([
    { reader: 'mdast', treeOf: gfmTree },
    { reader: 'the reference implementation of CommonMark', treeOf: commonmarkTree },
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

test('a quote closes HTML that its text leaves open, for browsers', () => {
  expect(quoted('a\n\n<!-- x\n')).toBe('> a\n>\n> <!-- x\n> -->\n')
})
