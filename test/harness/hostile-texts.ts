import fc from 'fast-check'
import { anyCharacter } from './any-character.ts'

/** Few, so that many records have the same or nearly the same: what file systems and other tools stumble over, or take for one name. */
const TITLES = [
  ...['Notes', 'notes', 'NOTES', 'Notes.', ' Notes ', 'Notes.md', 'notes.MD.html', 'No\u200btes', 'Notes (4f2a91c0)'],
  ...['Café', 'Cafe\u0301', 'CAFÉ', 'Straße', 'STRASSE', 'İx', 'ﬁle', 'Å', 'A\u030a', '\u212b', 'ａ', '각'],
  ...['\u1100\u1161\u11a8', '..', '.', '', ' ', '../../etc/passwd', 'C:\\Windows', '/', '\\\\host\\share', '~', '-rf'],
  ...['.git', 'git~1', '.htaccess', 'CON', 'con.md', 'nul.tar.gz', 'COM1', 'com¹', 'LPT9 .x', 'aux .', 'CLOCK$'],
  ...['CONIN$', 'README', 'readme.md', 'index', 'pages', 'posts', 'assets', 'data', 'manifest-sha256.txt', '_x', '[x]'],
  ...['a<b>c:d"e|f?g*h', 'line\nbreak\r\u2028', '\0', '\u007f', '\u202egnp.exe', '\ud800', '\ufeff', '\uffff', '🎉'],
  ...[
    '👩‍👩‍👧‍👦'.repeat(40),
    '文'.repeat(300),
    `${'文'.repeat(300)}二`,
    '\u0301'.repeat(300),
    'x'.repeat(254),
    'X'.repeat(255),
  ],
  ...[
    `${'x'.repeat(119)}.md`,
    '%2e%2e%2f',
    '%00',
    '100%',
    '. . .',
    '. . .x. . .',
    'x .',
    'space\u3000',
    '?'.repeat(200),
  ],
]

/** Anything that a service might send as a title. */
export const anyTitle: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TITLES) },
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.constant(null),
)

const IDS = [
  ...['.', '..', '../x', 'a/b', 'a\\b', 'a--b', '-', 'con', 'CON', 'nul.txt', 'README', 'a.md', 'é', 'e\u0301', 'É'],
  ...[
    'ａ',
    'a~1',
    '1',
    ' 1',
    '1 ',
    '1.',
    '１',
    'x'.repeat(300),
    'X'.repeat(300),
    '文'.repeat(100),
    'İ',
    'ı',
    'ſ',
    '\u212a',
  ],
]

/** Postgres takes neither U+0000 nor lone surrogates: no stored id contains them. */
export const anyId: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 4, arbitrary: fc.stringMatching(/^[aAbB]{1,4}$/) },
    fc.stringMatching(/^[0-9a-f]{24}$/),
    fc.constantFrom(...IDS),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 80 }),
  )
  .filter((text) => text.isWellFormed() && !text.includes('\0'))
