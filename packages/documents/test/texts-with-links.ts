import fc from 'fast-check'

/** Addresses of records, of others, and what is glued to them. */
const ADDRESSES = [
  ...['https://h.co/pages/1', 'http://h.co/project/p/pages/a2', '/pages/3', 'www.h.co/pages/4', 'https://h.co/x/y_z'],
  ...['https://h.co/pages/5#top', '/pages/6#第二章', 'https://h.co/pages/7?q=1&amp;r', 'https://h.co/a(b)', '../x'],
  'm@h.co',
] as const

const GLUED = [
  ...[
    '，费用为300元，请确认。',
    '请看',
    '。',
    '、',
    '（见附件）',
    '”',
    '！',
    '，见https://h.co/pages/8。',
    '，及https://o.org/a_b，',
  ],
  ...['.', ',', ')', '*', '**', '_', '~~', '!', '"', "'", ';', '&lt;', '\\', '`', '|', '>', ']', '[', '(', '{', '^'],
  ...['/', 'é'],
] as const

const WORDS = [
  ...[
    'a',
    '详见',
    '文',
    'x y',
    '😀',
    '!',
    '注!',
    '\\!',
    '\\',
    '\\[',
    '&amp;',
    '<',
    '>',
    '"',
    '*',
    '**',
    '_',
    '~~',
    '`',
  ],
  ...['|', '\u3000'],
] as const

const TAGS = [
  ...['</a>', '<b>', '</b>', '<br/>', '<div>', '</div>', '<p>', '<!-- ', ' -->', '<code>', '</code>', '<pre>'],
  '</pre>',
  ...['<a title="x > y" ', '<a\n', '<img src=/pages/9>', '\\<a href=', '`<a href='],
] as const

const address = fc.constantFrom(...ADDRESSES)
const word = fc.constantFrom(...WORDS)

const link: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(address, fc.constantFrom('', ...GLUED)).map((both) => both.join('')),
  fc.tuple(address, fc.constantFrom(...GLUED), fc.constantFrom(...GLUED)).map((all) => all.join('')),
  address.map((url) => `<${url}>`),
  fc.tuple(fc.oneof(word, address), address).map(([label, url]) => `[${label}](${url})`),
  fc.tuple(word, address).map(([label, url]) => `[${label}]( <${url}> "t")`),
  fc.tuple(word, address).map(([label, url]) => `![${label}](${url})`),
  fc.tuple(address, fc.constantFrom('"', "'", '', ' ')).map(([url, quote]) => `<a href=${quote}${url}${quote}>zed</a>`),
  fc.tuple(address, fc.constantFrom('', ' ', '/', ' /')).map(([url, end]) => `<a id=/x/ href=${url}${end}>`),
  fc.constantFrom('[d]', '[d][]', '[x][d]', '[e]', '![d]', '[d](', '[', ']', '](', '][', '](/pages/1)', '[^n]'),
)

const begun = fc.constantFrom(
  ...['', '', '', '- ', '1. ', '> ', '# ', '    ', '```\n', '~~~\n', '|', '| a | b |\n|-|-|\n| '],
  ...['|https://h.co/pages/10|b|\n|-|-|\n|', '[d]: ', '[e]: <', '[^n]: '],
)

const line = fc
  .tuple(
    begun,
    fc.array(fc.oneof({ weight: 3, arbitrary: link }, { weight: 2, arbitrary: word }, fc.constantFrom(...TAGS)), {
      maxLength: 4,
    }),
  )
  .chain(([begin, parts]) => fc.constantFrom('', ' ').map((space) => begin + parts.join(space)))

/** Texts of any kind, most with links in every form: in Markdown, in HTML, bare, and glued to Chinese text. */
export const textsWithLinks: fc.Arbitrary<string> = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n\n', '\r\n')), { minLength: 1, maxLength: 4 })
  .map((all) => all.flat().join(''))
