import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { handMadeSource, pageRow, postRow, projectRow } from './rows.ts'

/** A page or post, as far as its place depends on it. */
export interface Placed {
  readonly kind: 'page' | 'post'
  readonly pid: string
  readonly id: string
  readonly parentId: string | null
  readonly title: string | null
}

export interface World {
  readonly projects: readonly { readonly pid: string; readonly title: string | null }[]
  readonly records: readonly Placed[]
}

/** Few, so that many records have the same or nearly the same. */
const TITLES = [
  ...['Notes', 'notes', 'NOTES', 'Notes.', ' Notes ', 'Notes.md', 'notes.MD.html', 'No\u200btes', 'Notes (4f2a91c0)'],
  ...[
    'Café',
    'Cafe\u0301',
    'CAFÉ',
    'Straße',
    'STRASSE',
    'İx',
    'ﬁle',
    'Å',
    'A\u030a',
    '\u212b',
    'ａ',
    '각',
    '\u1100\u1161\u11a8',
  ],
  ...[
    '..',
    '.',
    '',
    ' ',
    '../../etc/passwd',
    'C:\\Windows',
    '/',
    '\\\\host\\share',
    '~',
    '-rf',
    '.git',
    'git~1',
    '.htaccess',
  ],
  ...[
    'CON',
    'con.md',
    'nul.tar.gz',
    'COM1',
    'com¹',
    'LPT9 .x',
    'aux .',
    'CLOCK$',
    'CONIN$',
    'README',
    'readme.md',
    'index',
  ],
  ...[
    'pages',
    'posts',
    'assets',
    'data',
    'manifest-sha256.txt',
    'a<b>c:d"e|f?g*h',
    'line\nbreak\r\u2028',
    '\0',
    '\u007f',
  ],
  ...[
    '\u202egnp.exe',
    '\ud800',
    '\ufeff',
    '\uffff',
    '🎉',
    '👩‍👩‍👧‍👦'.repeat(40),
    '文'.repeat(300),
    `${'文'.repeat(300)}二`,
    '\u0301'.repeat(300),
  ],
  ...[
    'x'.repeat(254),
    'X'.repeat(255),
    `${'x'.repeat(119)}.md`,
    '%2e%2e%2f',
    '%00',
    '. . .',
    'trailing dot .',
    'trailing space\u3000',
  ],
]

export const title = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TITLES) },
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.constant(null),
)

/** Postgres takes neither U+0000 nor half a surrogate pair, so no id that comes to be written has them. */
export const id = fc
  .oneof(
    { weight: 4, arbitrary: fc.stringMatching(/^[aAbB]{1,4}$/) },
    fc.stringMatching(/^[0-9a-f]{24}$/),
    fc.constantFrom(
      '.',
      '..',
      '../x',
      'a/b',
      'a\\b',
      'a--b',
      '-',
      'con',
      'CON',
      'nul.txt',
      'é',
      'e\u0301',
      'É',
      'ａ',
      'a~1',
    ),
    fc.constantFrom(
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
    ),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 80 }),
  )
  .filter((text) => text.isWellFormed() && !text.includes('\0'))

const ids = (maxLength: number) => fc.uniqueArray(id, { maxLength })

/** Projects with forests of pages: orphans, circles, long chains of long titles, siblings of one name; and posts. */
export const world: fc.Arbitrary<World> = fc.uniqueArray(id, { minLength: 1, maxLength: 3 }).chain((pids) =>
  fc.record({
    projects: fc.tuple(...pids.map((pid) => fc.record({ pid: fc.constant(pid), title }))),
    records: fc.tuple(...pids.flatMap((pid) => [pagesOf(pid), postsOf(pid)])).map((lists) => lists.flat()),
  }),
)

function pagesOf(pid: string): fc.Arbitrary<Placed[]> {
  return ids(20).chain((all) =>
    fc.tuple(
      ...all.map((id) =>
        fc.record({
          ...{ kind: fc.constant('page' as const), pid: fc.constant(pid), id: fc.constant(id), title },
          parentId: fc.oneof(fc.constant(null), { weight: 3, arbitrary: fc.constantFrom('gone', ...all) }),
        }),
      ),
    ),
  )
}

function postsOf(pid: string): fc.Arbitrary<Placed[]> {
  return ids(6).chain((all) =>
    fc.tuple(
      ...all.map((id) =>
        fc.record({
          ...{ kind: fc.constant('post' as const), pid: fc.constant(pid), id: fc.constant(id), title },
          parentId: fc.constant(null),
        }),
      ),
    ),
  )
}

/** A source of these records. */
export function sourceOf({ projects, records }: World): BackupRows {
  const byKey = (a: Placed, b: Placed) => compareBytes(a.pid, b.pid) || compareBytes(a.id, b.id)
  const sorted = records.toSorted(byKey)
  const of = (kind: Placed['kind']) => sorted.filter((record) => record.kind === kind)
  return handMadeSource({
    tables: {
      projects: projects.toSorted((a, b) => compareBytes(a.pid, b.pid)).map(({ pid, title }) => projectRow(pid, title)),
      pages: of('page').map(({ pid, id, title, parentId }) => pageRow(pid, id, title, { parent_id: parentId })),
      posts: of('post').map(({ pid, id, title }) => postRow(pid, id, title)),
    },
  })
}
