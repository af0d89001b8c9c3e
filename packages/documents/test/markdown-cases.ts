/** What is hard about a text, the text, and the addresses in it that are addresses of links or definitions, in their order. */
type MarkdownCase = readonly [name: string, text: string, addresses: readonly string[]]

const lines = (...all: string[]) => all.join('\n')

/** In fenced and indented code, nothing is a link; where code ends is the question. */
export const CODE: readonly MarkdownCase[] = [
  ['a longer fence holds a shorter one', lines('````', '```', '[a](/1)', '```', '````', '[b](/2)'), ['/2']],
  ['a fence of backticks has no backtick behind it', lines('``` a`b', '[a](/1)'), ['/1']],
  ['a fence that stays open goes to the end', lines('[a](/1)', '```', '', '# x', '', '[b](/2)'), ['/1']],
  ['a fence in a list ends with its item', lines('- ```', '  [a](/1)', '', '[b](/2)'), ['/2']],
  ['a fence in a quote ends with it', lines('> ```', '> [a](/1)', '[b](/2)'), ['/2']],
  ['a line indented by four is code', lines('x', '', '    [a](/1)', '', '[b](/2)'), ['/2']],
  ['a tab is four columns', lines('\t[a](/1)', '', ' \t[b](/2)', '', '   [c](/3)'), ['/3']],
  ['code after a list and a comment', lines('- x', '', '<!-- -->', '', '    [a](/1)'), []],
  ['tabs in a list', lines('-\t[a](/1)', '', '\t[b](/2)', '', '\t\t\t[c](/3)'), ['/1', '/2']],
]

/** Blocks that hold blocks, and lines that continue without a mark. */
export const CONTAINERS: readonly MarkdownCase[] = [
  ['an address behind the mark of a quote', lines('> [a](', '> /1)'), ['/1']],
  ['a lazy line is of the quote', lines('> [a', 'b](/1)', '', '[c](/2)'), ['/1', '/2']],
  ['a rule is no lazy line', lines('> [a', '---', 'b](/1)'), []],
  ['an empty item holds what follows at once', lines('-', '  [a](/1)', '', '-', '', '  [b](/2)'), ['/1', '/2']],
  ['items in items', lines('- - 1. [a](/1)', '', '       [b](/2)', '', '  [c](/3)'), ['/1', '/2', '/3']],
  ['a table with escaped bars', lines('| [a\\|b](/1) | c |', '|-|-|', '| `[d](/2)` | [e](/3\\|x) |'), ['/1', '/3|x']],
  ['a bar parts cells, and links with them', lines('|a|b|', '|-|-|', '| [c | d](/1) |', '| [e](/2) | f'), ['/2']],
  ['a table ends with a quote', lines('|a|', '|-|', '> [b](/1)', '[c](/2)'), ['/1', '/2']],
  [
    'headings of both kinds',
    lines('# [a](/1) #', '[b](/2)', '===', '[c](/3)', '---', '####### [d', 'e](/4)'),
    ['/1', '/2', '/3', '/4'],
  ],
]

/** HTML continues to its own end: seven kinds have seven. */
export const HTML: readonly MarkdownCase[] = [
  ['pre ends with its tag', lines('<pre>', '', '[a](/1)', '', '</pre>', '[b](/2)', '', '[c](/3)'), ['/2', '/3']],
  ['script ends with its tag, in any case', lines('<SCRIPT>', '', '[a](/1)', '</Script> [b](/2)', '[c](/3)'), ['/3']],
  ['a comment goes over blank lines', lines('<!-- x', '', '[a](/1)', '', '--> [b](/2)', '[c](/3)'), ['/3']],
  ['an instruction', lines('<?php', '', '[a](/1)', '?>', '[b](/2)'), ['/2']],
  ['elements end with a blank line', lines('<div>', '[a](/1)', '</div>', '', '[b](/2)'), ['/2']],
  ['any tag alone on its line', lines('<x-y z="1">', '[a](/1)', '', '[b](/2)'), ['/2']],
  ['a comment that stays open goes to the end', lines('[a](/1)', '', '<!--', '', '# x', '', '[b](/2)'), ['/1']],
  [
    'links in HTML',
    lines('<div><a href="/1">', "<area HREF='/2'>", '</div>', '', 'x <a', "href='/3'>"),
    ['/1', '/2', '/3'],
  ],
  [
    'no links in code of HTML, with anything between',
    lines('<code>', '', '<a href="/1">', '', '</code>', '<a href="/2">'),
    ['/2'],
  ],
  ['no links in comments in a paragraph', 'x <!-- [a](/1) <a href="/2"> --> [b](/3)', ['/3']],
  ['no links in attributes', 'x <b title="[a](/1)"> [b](/2)', ['/2']],
]

/** Definitions count in the whole text: these are the addresses that stand in it. */
export const DEFINITIONS: readonly MarkdownCase[] = [
  ['before and behind what they are for', lines('[a]: /1', '', '[a] [b]', '', '[b]: </2> "t"'), ['/1', '/2']],
  ['over several lines', lines('[', 'a b', ']:', '  /1', "  'title", "over lines'", '', '[A', ' B]'), ['/1']],
  ['not in a paragraph', lines('x', '[a]: /1', '', '[a]'), []],
  ['in quotes and items', lines('> - [a]: /1', '', '[a]', '', '1. [b]: /2'), ['/1', '/2']],
  ['an escaped bracket in the label', lines('[a\\]b]: /1', '', '[a\\]b]'), ['/1']],
  ['of images alone, none', lines('![x][a]', '', '[a]: /1', '', '[b]: /2'), ['/2']],
  [
    'footnotes hold links',
    lines('x[^n] [b](/1)', '', '[^n]: [a](/2)', '', '    [c](/3)', '', '[d](/4)'),
    ['/1', '/2', '/3', '/4'],
  ],
]

/** Within a line. */
export const INLINE: readonly MarkdownCase[] = [
  [
    'addresses in brackets, and with parentheses',
    '[a](</1 2>) [b](/3(4)) [c](/5\\)) [d]( /6 "t" )',
    ['/1 2', '/3(4)', '/5)', '/6'],
  ],
  ['no addresses with spaces, or parentheses left open', '[a](/1 2) [b](/3(4) x', []],
  ['escapes and references', '[a](/\\*&auml;&#47;&#x31;) [b](/\\a) [c](<&lt;1&gt;>)', ['/*ä/1', '/\\a', '<1>']],
  ['links hold no links: the inner one is', '[a [b](/1) c](/2)', ['/1']],
  ['balanced brackets are text', '[a [b] [c [d]]](/1) [e\\[](/2) [f] [](/3)', ['/1', '/2', '/3']],
  ['an image in a link', '[![i](/1)](/2) [![i ![j](/3)](/4) k](/5)', ['/2', '/5']],
  ['a link in an image is its text', '![a [b](/1)](/2) [c](/3)', ['/3']],
  ['a wiki link is none of these', lines('[[a]] [[/1|b]] [[c](/2)]'), ['/2']],
  ['code spans come before links', '[a`](/1)` [b](/2)', ['/2']],
  ['a backslash before a backtick', '\\`[a](/1)\\` `\\` [b](/2)`', ['/1', '/2']],
  [
    'autolinks',
    '<http://h/1> <x-y:/2> <http://h/ 3> <pages/a@h.co> <m:4',
    ['http://h/1', 'x-y:/2', 'http://h/', 'mailto:pages/a@h.co'],
  ],
  [
    'bare addresses end before punctuation',
    'http://h.co/1. (www.h.co/2) https://h.co/3?a=b&c;',
    ['http://h.co/1', 'http://www.h.co/2', 'https://h.co/3?a=b'],
  ],
  [
    'bare addresses need something before them that is no letter',
    'xhttp://h.co/1 _http://h.co/2_ xwww.h.co/3',
    ['http://h.co/2'],
  ],
  ['a bare address in a link goes with it', '[www.h.co/1](/2)', ['/2']],
  [
    'a bare address in the text of a link is part of it',
    '[a <http://b/1>](/2) [c https://d/3][e]\n\n[e]: /4',
    ['/2', '/4'],
  ],
  ['emphasis holds links', '***[a](/1)** x* ~~[b](/2)~~ __[c](/3)_', ['/1', '/2', '/3']],
  ['a line break in a link', lines('[a  ', 'b](/1) [c\\', 'd](', '/2', '"t")'), ['/1', '/2']],
]

/** The ends of lines, and the beginning of the text. */
export const LINES: readonly MarkdownCase[] = [
  ['carriage returns and line feeds', '```\r\n[a](/1)\r\n```\r\n[b](/2)\r\n\r\n    [c](/3)\r\n', ['/2']],
  ['carriage returns alone', '<!--\r\r[a](/1)\r-->\r[b](/2)\r\r    [c](/3)\r', ['/2']],
  [
    'ends of labels within labels and titles',
    '[a\\](/0)](/1) [`](/0)`](/2 "](/0)") [](/3 "](/0)") [a![](/0) ](/4)',
    ['/1', '/2', '/3', '/4'],
  ],
  ['ends of lines of all kinds', '- x\r\r\n  [a](/1)\n\r[b](/2)\r\n\n\t[c](/3)', ['/1', '/2']],
  ['other separators end no line', '> a\u2028[b](/1)\u000b[c](/2)\u0085\n[d](/3)', ['/1', '/2', '/3']],
  ['front matter is no such thing', lines('---', 'a: [b](/1)', '---', '[c](/2)'), ['/1', '/2']],
  ['front matter left open neither', lines('---', 'a: x', '', '[c](/2)'), ['/2']],
  ['a mark at the beginning', '\uFEFF[a]: /1\n\n\uFEFF[b](/2)', ['/1', '/2']],
  ['U+0000 and halves of characters', '[a\0](/1) [\ud800](/2)', ['/1', '/2']],
]
