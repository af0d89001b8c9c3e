import { ServiceLinks } from '@collab-etl/core/links'
import { LinkPlaces, LinkRewriter, PathIndex } from '@collab-etl/documents'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { describe, expect, test } from 'vitest'
import { writeBag } from './backup-in.ts'
import { handMadeSource, pageRow, projectRow } from './rows.ts'

const HERE = { pid: 'p1', path: 'markdown/one--p1/pages/a--a.md' }
const LINK = '[x](/pages/b)\n'
const REWRITTEN = '[x](b--b.md)\n'

/** How links are rewritten in a project that has a page `b`. */
function rewriter(): LinkRewriter {
  const source = handMadeSource({
    tables: { projects: [projectRow('p1', 'One')], pages: [pageRow('p1', 'b', 'B', { content: '' })] },
  })
  const index = new PathIndex(source, new Map([['p1', 'One']]))
  const links = new ServiceLinks([], { baseUrl: 'http://h', hasProject: (pid) => pid === 'p1' })
  return new LinkRewriter(new LinkPlaces(index, links), 'relative')
}

const numbered = (count: number, line: (number: number) => string) => Array.from({ length: count }, (_, i) => line(i))

describe('links are rewritten', () => {
  test.each([
    ['behind 5 MB in one line, in another block', `${'word '.repeat(1_000_000)}\n\n${LINK}`],
    ['behind 5 MB of blocks', `${'word\n\n'.repeat(900_000)}${LINK}`],
    ['behind 5 MB of code', `\`\`\`\n${'[x](/y)\n'.repeat(600_000)}\`\`\`\n\n${LINK}`],
    ['behind 100,000 brackets', `${'['.repeat(100_000)} ${LINK}`],
    ['behind 90 quotes', `${'> '.repeat(90)}${LINK}`],
    ['behind 1,000 lazy lines', `> a\n${`${'word '.repeat(10)}\n`.repeat(1_000)}${LINK}`],
    ['behind 30,000 lines of one paragraph', `${'a\n'.repeat(30_000)}${LINK}`],
    ['if there are 5,000 in one paragraph', LINK.repeat(5_000)],
    ['if there are 3,000 blocks of them', `${LINK}\n`.repeat(3_000)],
    ['if they are in 5 MB of one line', `${LINK}${'word '.repeat(1_000_000)}${LINK}`],
    ['behind 300,000 brackets', `${'['.repeat(300_000)} ${LINK}`],
    ['behind 100,000 definitions', `${numbered(100_000, (number) => `[${number}]: /x\n`).join('')}\n${LINK}`],
    ['behind 100,000 pairs of brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)} ${LINK}`],
    ['behind comments that stay open', `${'x <!-- '.repeat(5_000)}${LINK}`],
    ['behind instructions that stay open', `${'x <? '.repeat(5_000)}${LINK}`],
    ['behind addresses that stay open', `${'[x]('.repeat(50_000)} ${LINK}`],
    ['behind 30,000 lazy lines', `> a\n${'a\n'.repeat(30_000)}${LINK}`],
    ['in a table of 2,000 rows', `|a|b|\n|-|-|\n${`| y |${LINK.trim()}|\n`.repeat(2_000)}`],
  ])('%s', async (_name, text) => {
    const rewritten = await rewriter().rewrite(text, HERE)
    expect(rewritten).toMatchObject({ tooLong: false, missing: [] })
    expect(rewritten.text === text.replaceAll(LINK.trim(), REWRITTEN.trim())).toBe(true)
  })

  test('in 5,000 definitions, of which each counts', async () => {
    const text = numbered(5_000, (number) => `[${number}]: /pages/b\n`).join('')
    const { text: rewritten } = await rewriter().rewrite(text, HERE)
    expect(rewritten === text.replaceAll('/pages/b', 'b--b.md')).toBe(true)
  })
})

describe('texts are left as they are', () => {
  test.each([
    ['5 MB of nested quotes', `${'>'.repeat(5_000_000)}\n\n# ${LINK}`],
    ['10,000 quotes in one another', `${'>'.repeat(10_000)} ${LINK}`],
    ['10,000 lists in one another', `${'- '.repeat(10_000)}${LINK}`],
    ['lists in one another over many blank lines', `${'1. '.repeat(8_000)}a\n${'\n'.repeat(100_000)} ${LINK}`],
    ['bare addresses of hosts that are none', `${'www.a_'.repeat(30_000)} ${LINK}`],
    ['character references in a paragraph', `${'&amp;'.repeat(200_000)} ${LINK}`],
    ['markup in a line of Chinese', `${'[文'.repeat(100_000)} ${LINK}`],
  ])('%s', async (_name, text) => {
    const rewritten = await rewriter().rewrite(text, HERE)
    expect(rewritten).toMatchObject({ tooLong: true, missing: [] })
    expect(rewritten.text === text).toBe(true)
  })

  test('which is listed as a conversion issue', async () => {
    const content = `${'>'.repeat(10_000)} ${LINK}`
    const bag = await scratch()
    const pages = [pageRow('p1', 'a', 'A', { content }), pageRow('p1', 'b', 'B', { content: LINK })]
    await writeBag(bag, handMadeSource({ tables: { projects: [projectRow('p1', 'One')], pages } }), {})
    const losses = JSON.parse((await filesOf(bag)).get('data/backup.json') ?? '').losses
    expect(losses).toContainEqual({
      ...{ pid: 'p1', stream: 'pages', record_key: 'a', field: 'content' },
      ...{ kind: 'links_not_rewritten', original: String(content.length) },
    })
    expect(losses).not.toContainEqual(expect.objectContaining({ record_key: 'b', kind: 'links_not_rewritten' }))
  })
})
