import { gzipSync } from 'node:zlib'

/** A tar header, with changes that no ordinary program makes. */
interface RawHeader {
  readonly name: string
  readonly type?: string
  readonly size?: number
  readonly link?: string
  readonly mode?: number
  /** Applied last, before the checksum is calculated. */
  readonly change?: (block: Buffer) => void
}

const BLOCK = 512

function header({ name, type = '0', size = 0, link = '', mode = 0o600, change }: RawHeader): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, 100)
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  block.write('0000000\x000000000\0', 108)
  block.write(`${size.toString(8).padStart(11, '0')}\x0000000000000\0`, 124)
  block.write(type, 156)
  block.write(link, 157, 100)
  block.write('ustar\x0000', 257)
  change?.(block)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** A member of a tar with its content. */
function member(raw: RawHeader, content = ''): Buffer {
  const bytes = Buffer.from(content)
  const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)
  return Buffer.concat([header({ size: bytes.length, ...raw }), bytes, padding])
}

/** A pax header with one record. */
function pax(key: string, value: string, type = 'x'): Buffer {
  const text = ` ${key}=${value}\n`
  let length = Buffer.byteLength(text) + 1
  while (String(length).length + Buffer.byteLength(text) !== length) length += 1
  return member({ name: 'PaxHeader', type }, `${length}${text}`)
}

const END = Buffer.alloc(2 * BLOCK)

/** Defects of a tar, and how to make each from the members of a good one and their folder. */
export const TAR_ATTACKS: readonly [what: string, make: (members: Buffer, root: string) => Buffer][] = [
  ...(
    [
      ['a symbolic link in the place of a file', { type: '2', link: '/etc/passwd' }],
      ['a hard link in the place of a file', { type: '1', link: 'bagit.txt' }],
      ['a character device', { type: '3' }],
      ['a block device', { type: '4' }],
      ['a FIFO', { type: '6' }],
      ['a contiguous file', { type: '7' }],
      ['a sparse file of GNU tar', { type: 'S' }],
      ['a volume label of GNU tar', { type: 'V' }],
      ['a member of unknown type', { type: 'Z' }],
      ['a file that names a link', { link: '/etc/passwd' }],
      ['a file with the set-user-id bit', { mode: 0o4755 }],
      ['a file again', {}],
    ] as const
  ).map(([what, raw]): (typeof TAR_ATTACKS)[number] => [
    what,
    (members, root) => Buffer.concat([members, member({ name: `${root}/data/csv/pages.csv`, ...raw }), END]),
  ]),
  ...(
    [
      ['a file again with capitals', (root: string) => `${root}/data/csv/PAGES.csv`],
      ['a file again behind ./', (root: string) => `./${root}/data/csv/pages.csv`],
      ['a file again with //', (root: string) => `${root}//data/csv/pages.csv`],
      ['a file again with a dot at its end', (root: string) => `${root}/data/csv/pages.csv.`],
      ['a file again with an invisible character', (root: string) => `${root}/data/csv/pa\u200dges.csv`],
      ['a file again by steps upwards', (root: string) => `${root}/data/x/../csv/pages.csv`],
      ['a file below a file', (root: string) => `${root}/data/csv/pages.csv/x`],
      ['a file in the place of a folder', (root: string) => `${root}/data/csv`],
      ['a file that ends in a slash', (root: string) => `${root}/data/csv/`],
      ['an absolute path', () => '/tmp/owned'],
      ['a path upwards', () => '../owned'],
      ['a path with a drive', () => 'C:owned'],
      ['a path with a backslash', (root: string) => `${root}\\data\\csv\\pages.csv`],
      ['a second folder at the top', () => 'other/bagit.txt'],
      ['a file at the top', () => 'README'],
      ['a file that the manifest does not list', (root: string) => `${root}/data/more`],
      ['a file of the bag itself that is not listed', (root: string) => `${root}/more.txt`],
      ['the tag manifest again', (root: string) => `${root}/tagmanifest-sha256.txt`],
    ] as const
  ).map(([what, nameIn]): (typeof TAR_ATTACKS)[number] => [
    what,
    (members, root) => Buffer.concat([members, member({ name: nameIn(root) }, 'owned\n'), END]),
  ]),
  [
    'an additional empty folder',
    (members, root) => Buffer.concat([members, member({ name: `${root}/more/`, type: '5' }), END]),
  ],
  ['a folder with content', (members, root) => Buffer.concat([members, member({ name: root, type: '5' }, 'x'), END])],
  ['a pax path for another file', (members, root) => withPax(members, pax('path', `${root}/data/csv/pages.csv`))],
  ['a pax size', (members) => Buffer.concat([pax('size', '0'), members, END])],
  ['a pax link', (members) => Buffer.concat([pax('linkpath', '/etc/passwd'), members, END])],
  ['a pax header for all', (members) => Buffer.concat([pax('path', 'owned', 'g'), members, END])],
  ['a pax sparse map', (members) => Buffer.concat([pax('GNU.sparse.name', 'owned'), members, END])],
  ['two pax headers', (members) => Buffer.concat([pax('mtime', '1'), pax('mtime', '2'), members, END])],
  ['a pax header at the end', (members) => Buffer.concat([members, pax('path', 'owned'), END])],
  ['a long name of GNU tar', (members) => Buffer.concat([member({ name: 'x', type: 'L' }, 'owned\0'), members, END])],
  ['a member after the end', (members) => Buffer.concat([members, END, member({ name: 'owned' }, 'x'), END])],
  ['a member after a single block of zeros', (members) => lone(members)],
  ['bytes after the end', (members) => Buffer.concat([members, END, Buffer.from('hello')])],
  ['no end', (members) => members],
  ['half an end', (members) => Buffer.concat([members, Buffer.alloc(BLOCK)])],
  ['bytes in the padding', (members) => Buffer.concat([paddedWith(members, 1), END])],
  ['a second name after the name', (members, root) => withChange(members, root, (block) => block.write('owned', 90))],
  ['a prefix in GNU form', (members, root) => withChange(members, root, gnuPrefix)],
  ['a header of unknown format', (members, root) => withChange(members, root, (block) => block.fill(0, 257, 265))],
  ['a size that is no number', (members, root) => withChange(members, root, (block) => block.write('   1', 124))],
]

/** Puts a pax header before the first file of a good tar. */
function withPax(members: Buffer, before: Buffer): Buffer {
  return Buffer.concat([members.subarray(0, BLOCK), before, members.subarray(BLOCK), END])
}

function lone(members: Buffer): Buffer {
  return Buffer.concat([members, Buffer.alloc(BLOCK), member({ name: 'owned' }, 'x'), END])
}

function withChange(members: Buffer, root: string, change: (block: Buffer) => void): Buffer {
  return Buffer.concat([members, member({ name: `${root}/data/more/`, type: '5', change }), END])
}

function gnuPrefix(block: Buffer): void {
  block.write('ustar  \0', 257)
  block.write('owned', 345)
}

/** The first file of a bag is shorter than a block. */
function paddedWith(members: Buffer, byte: number): Buffer {
  const copy = Buffer.from(members)
  copy[3 * BLOCK - 1] = byte
  return copy
}

/** Defects of a gzip stream. */
export const GZIP_ATTACKS: readonly [what: string, make: (gzip: Buffer) => Buffer][] = [
  ['a second member', (gzip) => Buffer.concat([gzip, gzipSync(member({ name: 'owned' }, 'x'))])],
  ['an empty second member', (gzip) => Buffer.concat([gzip, gzipSync('')])],
  ['bytes after its end', (gzip) => Buffer.concat([gzip, Buffer.from('PK')])],
  ['zeros after its end', (gzip) => Buffer.concat([gzip, Buffer.alloc(512)])],
  ['another checksum', (gzip) => changed(gzip, gzip.length - 8)],
  ['another length', (gzip) => changed(gzip, gzip.length - 1)],
  [
    'an extra field',
    (gzip) => Buffer.concat([changed(gzip, 3, 4).subarray(0, 10), Buffer.from([1, 0, 0]), gzip.subarray(10)]),
  ],
  ['its last byte cut off', (gzip) => gzip.subarray(0, -1)],
  ['its checksum cut off', (gzip) => gzip.subarray(0, -8)],
]

/** A copy with some bits of a byte changed. */
export function changed(bytes: Buffer, at: number, bits = 1): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ bits
  return copy
}
