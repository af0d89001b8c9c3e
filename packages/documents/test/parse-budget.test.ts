/** @module-tag thorough */

import { testEveryNth, times } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { renderText } from '../src/html/text/render.ts'
import { isWithinParseBudget, isWithinRenderBudget } from '../src/markdown/parse-budget.ts'
import { readLinks } from '../src/markdown/read-links.ts'

const MEGABYTE = 1_000_000

/** Part of the full lengths and of the time they may take. */
const SHARE = times(0.25, 1)
const LENGTH = MEGABYTE * SHARE
const MAX_SECONDS = 2 * SHARE

/** Repeated up to a length. */
const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length))

/** Units of texts that some readers of Markdown take quadratic time for: 1 MB of each is read. */
const HOSTILE = [
  ...[
    '[',
    '[x](',
    '![',
    '*a_ b* ',
    'a**b',
    '> ',
    '> - 1. '.repeat(33).concat('a\n'),
    ...['- ', '` `` ', 'x <!-- ', '<a b="'],
  ],
  ...['|', '&amp;', '&amp; '.repeat(700).concat('\n\n'), 'www.a_', 'www.a_'.repeat(160).concat(' '), '[文', 'a\n-\n'],
]

/** 100 KB of each of these are read. */
const ALSO_HOSTILE = [
  ...[']', '[a][b', '](', '[a](<b', '[a](b "', '[^a]', '[^a]: ', '[a]: /x\n', '[a\n', '\\['],
  ...['*', '*a **b ', '_a __b ', '~a ~~b ', 'a* ', '>', '1. ', '> - 1. ', '- '.repeat(99).concat('a\n'), '* '],
  ...['`', '```\n', '~~~\n', '    a\n', '\t', '<!-- ', 'x <? ', 'x <!a ', 'x <![CDATA[', '<a ', 'a<', 'x </a '],
  '<div>\n\n',
  ...['|-', 'a|b\n-|-\n', '&', '&#', '&#x41;', '_www.a', 'http://a.b', '[http://a.b ', 'a@b_', 'a_@b.co '],
  ...['a\n', '---\n', 'a  \n', '\r\n', '# ', '文字 *a* ', '<文', '\0', '😀', '[a](/pages/1) '],
]

const MIXED = [
  ['brackets in one another', '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2)],
  ['images in one another', '!['.repeat(100_000 * SHARE) + '](/pages/b)'.repeat(80_000 * SHARE)],
  [
    'runs of backticks of all lengths',
    Array.from({ length: 1_400 * Math.sqrt(SHARE) }, (_, i) => `${'`'.repeat(i)} `).join(''),
  ],
  ['lazy lines', `> a\n${filled('a\n', LENGTH)}`],
  ['lazy lines of many quotes', `${'> '.repeat(99)}a\n${filled('b\n', LENGTH)}`],
  ['blank lines in many lists', `${'1. '.repeat(99)}a\n${filled('\n', LENGTH)}`],
  ['ends of labels in a label', `[${filled('\\](&', LENGTH)}](/pages/1)`],
  ['ends of labels in code in a label', `[\`${filled('](a', LENGTH)}\`](/pages/1)`],
  ['ends of labels in a title', `[a](/pages/1 "${filled('](/pages/1', LENGTH)}")`],
  ['end tags of elements that are not open', filled('a <code><pre>', LENGTH / 2) + filled('</title>', LENGTH / 2)],
  ['escapes in addresses', filled('[a](\\/p)\n\n', LENGTH)],
  ['definitions', Array.from({ length: 60_000 * SHARE }, (_, i) => `[${i}]: /pages/b\n`).join('')],
  ['a wide table', `${'|a'.repeat(1_000)}|\n${'|-'.repeat(1_000)}|\n${filled('a\n', LENGTH)}`],
] as const

function secondsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

describe('1 MB takes less than two seconds of processor time to find its links', () => {
  const texts: (readonly [string, string])[] = [
    ...HOSTILE.map((unit) => [JSON.stringify(unit.slice(0, 20)), filled(unit, LENGTH)] as const),
    ...MIXED,
  ]
  testEveryNth(texts, 4)('%s', (_name, text) => {
    expect(secondsOf(() => isWithinParseBudget(text) && readLinks(text))).toBeLessThan(MAX_SECONDS)
  })
})

test('100 KB takes less than half a second of processor time to find its links', () => {
  for (const unit of ALSO_HOSTILE) {
    const text = filled(unit, MEGABYTE / 10)
    expect(
      secondsOf(() => isWithinParseBudget(text) && readLinks(text)),
      unit.slice(0, 20),
    ).toBeLessThan(0.5)
  }
})

test('the largest texts that are rendered take less than four seconds of processor time', async () => {
  const nested = ['<b>', '<pre>', '<b></p>', '<svg>', '<ruby><rt>']
  for (const unit of [...nested, '> - 1. '.repeat(33).concat('a\n'), '*a_ b* ', '[a](/pages/1) ', '[^a]: ']) {
    const text = filled(unit, 290_000 * SHARE)
    const before = process.cpuUsage()
    await renderText({ text, idPrefix: 't-', title: null, linkTo: async () => null })
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000_000, unit.slice(0, 20)).toBeLessThan(4)
  }
})

const LINK = '[x](/pages/b)'

test.each([
  ['5 MB in one line, in another block', `${'word '.repeat(1_000_000)}\n\n${LINK}`],
  ['5 MB of blocks', `${'word\n\n'.repeat(900_000)}${LINK}`],
  ['5 MB of code', `\`\`\`\n${'[x](/y)\n'.repeat(600_000)}\`\`\`\n\n${LINK}`],
  ['300,000 brackets', `${'['.repeat(300_000)} ${LINK}`],
  ['100,000 definitions', `${Array.from({ length: 100_000 }, (_, i) => `[${i}]: /x\n`).join('')}\n${LINK}`],
  ['comments and addresses that stay open', `${'x <!-- '.repeat(5_000)}${'[x]('.repeat(50_000)} ${LINK}`],
  ['30,000 lazy lines', `> a\n${'a\n'.repeat(30_000)}${LINK}`],
])('links are found behind %s', (_name, text) => {
  expect(isWithinParseBudget(text)).toBe(true)
  expect(readLinks(text).destinations.at(-1)?.url).toBe('/pages/b')
})

test('each of thousands of links in a paragraph, in blocks, and in a table is found', () => {
  for (const [text, count] of [
    [LINK.repeat(5_000), 5_000],
    [`${LINK}\n\n`.repeat(3_000), 3_000],
    [`|a|b|\n|-|-|\n${`| y |${LINK}|\n`.repeat(2_000)}`, 2_000],
  ] as const) {
    expect(readLinks(text).destinations).toHaveLength(count)
  }
})

describe('the parse budget', () => {
  test.each([
    ['100 KB of Chinese in one line with 2,000 links', '文字说明文字说明文字 [a](/pages/1) '.repeat(2_000)],
    ['an image of 1 MB in its address', `![i](data:image/png;base64,${'A1b2C3d4+/'.repeat(100_000)}) [a](/pages/1)`],
    ['5 MB of paragraphs', 'word & word\n\n'.repeat(400_000)],
    ['a paragraph of 100 KB with 1,000 character references', `${'word '.repeat(20)}&amp; `.repeat(1_000)],
    ['code of 1 MB in lines', `\`\`\`\n${'  const a_b = c.d_e & f\n'.repeat(40_000)}\`\`\``],
    ['90 quotes in one another', `${'> '.repeat(90)}a${'\n\nword'.repeat(3_000)}`],
  ])('holds %s', (_name, text) => {
    expect(isWithinParseBudget(text)).toBe(true)
  })

  test.each([
    ['100 quotes in one another', `${'> '.repeat(100)}a${'\n\nword'.repeat(3_000)}`],
    ['1 MB of character references in a paragraph', '&amp;'.repeat(200_000)],
    ['1 MB of one word with bare addresses', 'www.a_'.repeat(170_000)],
    ['1 MB of Chinese markup in a line', '[文'.repeat(500_000)],
  ])('does not hold %s', (_name, text) => {
    expect(isWithinParseBudget(text)).toBe(false)
  })

  test('of rendering holds tables and tags that are closed, not those that grow without end', () => {
    expect(isWithinRenderBudget('<p>a</p><br>\n'.repeat(4_000))).toBe(true)
    expect(isWithinRenderBudget('<div>'.repeat(6_000))).toBe(false)
    expect(isWithinRenderBudget(`|a|b|c|\n|-|-|-|\n${'|1|2|3|\n'.repeat(20_000)}`)).toBe(true)
    expect(isWithinRenderBudget(`${'|a'.repeat(300)}|\n${'|-'.repeat(300)}|\n${'a\n'.repeat(50_000)}`)).toBe(false)
    expect(isWithinRenderBudget('a'.repeat(300_001))).toBe(false)
  })
})
