import fc from 'fast-check'

/** Links and pieces of links, most with an address that matters. */
const LINKS = {
  inline: ['[a](/pages/1)', '[b [c](/x) ', '](/pages/4)', '[x](</pages/ 1>', '[', '](', '[ ] '],
  image: ['![i](/pages/1)', '![x][e]'],
  autolink: ['<http://h/pages/1>', 'http://h/pages/1', 'www.h/pages/2', 'a@b.co/pages/1'],
  definition: ['[d]: /pages/1', '[e]: </pages/1> "t', '[d]: /x', '[e]:\n/pages/3'],
  reference: ['[d]', '[x][d]', '[e]', '][d]'],
  footnote: ['[^n]', '[^n]: ', '[^m]: [q](/pages/1)'],
  escaped: ['](/pages&#47;5)', '](\\/pages\\/6)', '<a href="pages&#47;7">', '<a href="p&#97ges/8">', '\\', '&amp;'],
  html: ['<a href="/pages/1">', "<a\nhref='/pages/1'", '</a>', '<div><a/href="/pages/9">'],
  code: ['`', '``', '`[a](/pages/1)`'],
  emphasis: ['~~', '*', '_'],
  cell: ['|'],
}

/** What begins, continues or ends a block; some only look as if they did. */
const BLOCKS = {
  fence: ['```', '````', '~~~', '``` js', '```a`b', '~~~ a`b'],
  bullet: ['- ', '* ', '+ ', '-', '*', '-\t', '-  ', '-    ', '-     ', '-      x'],
  number: ['1. ', '1) ', '2. ', '2.', '10. ', '1234567890. ', '1.\t'],
  quote: ['> ', '>', '>\t'],
  heading: ['# ', '#', '## h', '####### ', '#\tx', '===', '---', '--'],
  rule: ['- - -', '* * *', '***', '___', '- *'],
  indent: ['    ', '   ', '  ', ' ', '\t', ' \t', '    x'],
  table: ['|a|b|', '|-|-|', '|-|', ':-', 'a | b', '- | -'],
  text: ['<pre>', '<pre', '</pre>', '<script>', '</script>', '<style', '<textarea>', '</textarea>'],
  comment: ['<!--', '-->', '<!-->', '<!--->', '<!-- x -->'],
  instruction: ['<?', '?>', '<?>'],
  declaration: ['<!A', '<!a>', '<![CDATA[', ']]>', ']]]>'],
  element: ['<div>', '</div>', '<div', '<del>'],
  inlineHtml: [
    ...['<b>', '</b>', '<b> x', '<br/>', '<code>', '</code>', '<title>', '</title>', '<x-y z="1">', '<http://x>'],
  ],
  footnote: ['[^n]: ', '[^n]:'],
}

/** Letters, and characters that are easily miscounted or taken for space. */
const WORDS = ['a', 'b c', 'text', '1', '文', '😀', 'x\u00a0y', '\u000b', '\0', '\u2028', '\uFEFF']

const BLANK_LINES = ['\n\n', '\n\n\n', '\r\n\r\n', '\r\r', '\n \n', '\n\t\n', '\n  \n']

const LINE_ENDS = ['\n', '\r\n', '\r']

/** The end of a line, and what the next begins with to be of the same block, or of another. */
const NEXT_LINES = [
  ...['\n    ', '\n   ', '\n  ', '\n ', '\n> ', '\n>\n', '\n\n  ', '\n\n   ', '\n\n    ', '\n- ', '\n  - ', '\n\n- '],
]

const link = fc.constantFrom(...Object.values(LINKS).flat())
const block = fc.constantFrom(...Object.values(BLOCKS).flat())
const word = fc.constantFrom(...WORDS)

/** Anything behind anything. */
const pieces = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: link },
    { weight: 5, arbitrary: block },
    { weight: 2, arbitrary: word },
    { weight: 6, arbitrary: fc.constantFrom(...LINE_ENDS, ...BLANK_LINES, ...NEXT_LINES) },
    { weight: 2, arbitrary: fc.constantFrom('\n\n', '\n') },
  ),
  { maxLength: 30 },
)

/** Lines as people write them: space, what begins a block, then text. */
const lines = fc.array(
  fc
    .tuple(
      fc.constantFrom('', '', '', '', '', ' ', '  ', '   ', '    ', '\t', '  \t'),
      fc.array(block, { maxLength: 2 }),
      fc.array(fc.oneof(link, word), { maxLength: 3 }),
      fc.constantFrom('\n', '\n', '\n', '\n\n', '\n\n', '\r\n', '\r\n\r\n', '\r', '\n \n'),
    )
    .map(([space, begun, text, end]) => space + begun.join('') + text.join(' ') + end),
  { maxLength: 14 },
)

/** What a line begins that others continue, or that keeps others from beginning anything. */
const NESTED = [
  ...['- ', '* ', '-    ', '-', '1. ', '2. ', '1234567890. ', '> ', '# ', '- - ', '\t'],
  ...['```', '~~~', '````', '``` x`', '---', '|-|'],
  ...['<div>', '</p>', '<pre>', '</pre>', '<!--', '<!-->', '-->', '<?', '<?>', '?>', '<![CDATA[', ']]>'],
]

/** Short lines, almost each with a link that tells how it was read. */
const nested = fc.array(
  fc
    .tuple(
      fc.constantFrom('', '', '', ' ', '  ', '   ', '    ', '     '),
      fc.oneof(fc.constant(''), fc.constantFrom(...NESTED)),
      fc.constantFrom(
        ...['', '', 'a', '|a|', '[a](/pages/1)', '[a](/pages/1)', '[a](/pages/1)', '[d]', '[d]: /pages/1', '[d]: /x'],
      ),
      fc.constantFrom('\n', '\n', '\n', '\n\n', '\n\n', '\r\n', '\r'),
    )
    .map((all) => all.join('')),
  { minLength: 3, maxLength: 14, size: 'max' },
)

/** Texts built of Markdown's constructs, whole and broken. */
export const markdownTexts: fc.Arbitrary<string> = fc.oneof(pieces, lines, nested, nested).map((all) => all.join(''))
