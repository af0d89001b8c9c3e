import { isDeepStrictEqual } from 'node:util'
import { rounds } from '@collab-etl/harness/thorough'
import { drawsNewCases } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { describe, expect, test } from 'vitest'
import { renderText } from '../src/html/text/render.ts'
import { type LinkStyle, rewriteLinks } from '../src/markdown/links.ts'
import { markdownTexts } from './markdown-texts.ts'
import { commonmarkTree, doReadersAgree, gfmHtmlOf, gfmTree, isReadAlike, visibleText } from './oracle/trees.ts'
import { textsWithLinks } from './texts-with-links.ts'

const FILE = { address: '../x.md#top', note: 'p/x', fragment: '#top', title: 'TITLE' }
const isRecord = (url: string) => /\/pages\/\w*\d/.test(url)
const isOurs = (url: string) => isRecord(url) || url === FILE.address

const rewritten = (text: string, style: LinkStyle) =>
  rewriteLinks(text, style, async (url) => (isRecord(url) ? FILE : null))

/** Without GitHub's extensions, what a bare address holds is Markdown, a footnote is a definition, and a table is text. */
const OF_GITHUB = /(?:https?:\/\/|www\.)[^\s<]*[*_`[\]&\\~|]|\[\^|[|:][ \t]*-|-[ \t]*[|:]/i

/** The words that a reader of wiki links sees, without bare addresses: those of records are links named by titles. */
const visible = (text: string) =>
  visibleText(text.replace(/\[\[p\/x#top\\?\|([^\]]*)\]\]/g, (_, label) => `[${label}](/)`))
    .replaceAll(FILE.title, '')
    .replace(/&(?:lt|amp);/g, '')
    .replace(/(?:https?:\/\/|www\.)[\wé#?=&/;:,.!'()*~@+-]*/g, '')
    .replace(/[\s\0/;:,.!?'"()*_~]+/g, '')

/** In `npm test` and in CI always the same texts: what new ones show is for `npm run test:thorough`. */
const cases = () => ({ numRuns: rounds(100, 40_000), ...(drawsNewCases() ? {} : { seed: 1 }) })

/** Of texts that a property judges, how many it may leave to the tests of reading, see `isReadAlike`. */
const MISREAD_SHARE = 0.01

const texts = fc.oneof({ weight: 3, arbitrary: textsWithLinks }, markdownTexts)

async function check(judge: (text: string) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(texts, judge), { ...cases(), maxSkipsPerRun: MISREAD_SHARE })
}

describe('rewriting links changes their destinations and nothing else', {
  tags: 'thorough',
  timeout: 3_600_000,
}, () => {
  test('as mdast reads any text', async () => {
    await check(async (text) => {
      const after = await rewritten(text, 'relative')
      if (after === text) return
      fc.pre(isReadAlike(text))
      expect(gfmTree(after, isOurs)).toEqual(gfmTree(text, isOurs))
    })
  })

  test('as the reference implementation of CommonMark reads any text', async () => {
    await check(async (text) => {
      if (OF_GITHUB.test(text) || !doReadersAgree(text)) return
      const after = await rewritten(text, 'relative')
      if (after === text) return
      fc.pre(isReadAlike(text))
      expect(commonmarkTree(after, isOurs)).toEqual(commonmarkTree(text, isOurs))
    })
  })

  test('as mdast reads it, no link to a record is left in almost any text', async () => {
    const all = fc.sample(texts, cases()).filter((text) => !TASK_ITEM.test(text) && isReadAlike(text))
    let left = 0
    for (const text of all) {
      const after = gfmTree(await rewritten(text, 'relative'), (url) => url === FILE.address)
      if (!isDeepStrictEqual(after, gfmTree(text, isRecord))) left += 1
    }
    // those in HTML comments and in code of HTML, and where what surrounds an address leaves no room: 1 % of such texts
    expect(left / all.length).toBeLessThan(0.02)
  })

  test('with wiki links, what is visible stays', async () => {
    await check(async (text) => {
      const after = await rewritten(text, 'wiki')
      if (after === text) return
      fc.pre(isReadAlike(text))
      expect(visible(after)).toEqual(visible(text))
    })
  })

  test('as HTML, what is visible stays', async () => {
    await check(async (text) => {
      if (SHOWN_OTHERWISE.test(text)) return
      fc.pre(isReadAlike(text))
      const linkTo = async (url: string) => (isRecord(url) ? { address: 'x.html', title: null } : null)
      const { markup } = await renderText({ text, idPrefix: 't-', title: null, linkTo })
      expect(textOf(String(markup))).toBe(textOf(gfmHtmlOf(text)))
    })
  })
})

/** The development build of mdast asserts that these stand in a list. */
const TASK_ITEM = /\[[\sx]\]/i

/** Images, of which the site shows the names, footnotes, and HTML but for these elements: what is left open in it ends with its block. */
const SHOWN_OTHERWISE = /!\[|\[\^|<(?!\/?(?:a|b|br)[\s/>]|https?:)/i

function textOf(html: string): string {
  const texts: string[] = []
  const nodes: DefaultTreeAdapterTypes.ChildNode[] = [...parseFragment(html).childNodes]
  for (let node = nodes.shift(); node; node = nodes.shift()) {
    if ('childNodes' in node) nodes.unshift(...node.childNodes)
    else if (node.nodeName === '#text' && 'value' in node) texts.push(node.value)
  }
  return texts.join('').replace(/\s+/g, '')
}
