import { crc32 } from 'node:zlib'
import { changed } from './hostile-archives.ts'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50

/** Where the records of a zip are. */
interface Places {
  /** The header of `pages.csv` before its data, and its entry in the list. */
  readonly local: number
  readonly central: number
  readonly centralStart: number
  readonly end: number
}

function placesOf(zip: Buffer): Places {
  const end = zip.length - 22
  const centralStart = zip.readUInt32LE(end + 16)
  for (let at = centralStart; at < end; ) {
    const [name, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)]
    if (zip.toString('utf8', at + 46, at + 46 + name).endsWith('csv/pages.csv')) {
      return { local: zip.readUInt32LE(at + 42), central: at, centralStart, end }
    }
    at += 46 + name + extra + comment
  }
  throw new Error('the zip has no pages.csv')
}

type Make = (zip: Buffer, places: Places) => Buffer

/** Defects of a zip, and how to make each. */
const ATTACKS: readonly [what: string, make: Make][] = [
  ['another name before the data than in the list', (zip, { local }) => changed(zip, local + 30 + 2)],
  ['other flags before the data', (zip, { local }) => changed(zip, local + 6, 2)],
  ['another compression before the data', (zip, { local }) => changed(zip, local + 8, 8)],
  ['another time before the data', (zip, { local }) => changed(zip, local + 10)],
  ['another checksum before the data', (zip, { local }) => changed(zip, local + 14)],
  ['another compressed size before the data', (zip, { local }) => changed(zip, local + 18)],
  ['another size before the data', (zip, { local }) => changed(zip, local + 22)],
  ['another checksum in the list', (zip, { central }) => changed(zip, central + 16)],
  ['another size in the list', (zip, { central }) => changed(zip, central + 24)],
  ['a file that is encrypted', (zip, { local, central }) => changed(changed(zip, local + 6), central + 8)],
  ['an unknown compression', (zip, { local, central }) => changed(changed(zip, local + 8, 4), central + 10, 4)],
  ['a symbolic link', (zip, { central }) => withMode(zip, central, 0o120_777)],
  ['a device', (zip, { central }) => withMode(zip, central, 0o060_600)],
  ['a file with the set-user-id bit', (zip, { central }) => withMode(zip, central, 0o104_755)],
  ['a file that is marked as a folder', (zip, { central }) => changed(zip, central + 38, 0x10)],
  ['a file again, under capitals', (zip, places) => appended(zip, places, (name) => name.replace('pages', 'PAGES'))],
  ['a file again', (zip, places) => appended(zip, places, (name) => name)],
  ['a file that is not listed', (zip, places) => appended(zip, places, (name) => `${name}x`)],
  ['a path upwards', (zip, places) => appended(zip, places, () => '../owned')],
  ['an absolute path', (zip, places) => appended(zip, places, () => '/owned')],
  ['a path with backslashes', (zip, places) => appended(zip, places, (name) => name.replaceAll('/', '\\'))],
  ['a name that is not marked as UTF-8', (zip, places) => appended(zip, places, (name) => `${name}é`, { flags: 0 })],
  ['another name in an extra field', (zip, places) => appended(zip, places, (name) => name, { extra: unicodePath() })],
  ['bytes before its beginning', (zip) => Buffer.concat([zip.subarray(0, 4), Buffer.from('hello'), zip.subarray(4)])],
  ['a file before its beginning, offsets moved', (zip, places) => shifted(zip, places)],
  ['a comment', (zip, { end }) => Buffer.concat([changed(zip, end + 20, 5), Buffer.from('hello')])],
  ['bytes after its end', (zip) => Buffer.concat([zip, Buffer.from('hello')])],
  ['a second end', (zip, { end }) => Buffer.concat([zip, zip.subarray(end)])],
  ['a second list', (zip, { centralStart }) => Buffer.concat([zip, zip.subarray(centralStart)])],
  ['a list that counts fewer files', (zip, { end }) => changed(changed(zip, end + 8), end + 10)],
  ['a 64-bit end that says something else', (zip, places) => withEnd64(zip, places)],
  ['its end cut off', (zip) => zip.subarray(0, -1)],
]

export const ZIP_ATTACKS = ATTACKS.map(([what, make]) => [what, (zip: Buffer) => make(zip, placesOf(zip))] as const)

function withMode(zip: Buffer, central: number, mode: number): Buffer {
  const copy = Buffer.from(zip)
  copy.writeUInt16LE(mode, central + 40)
  return copy
}

/** Adds an uncompressed file at the end, and to the list. */
function appended(
  zip: Buffer,
  { central, centralStart, end }: Places,
  rename: (name: string) => string,
  { flags = 0x0800, extra = Buffer.alloc(0) }: { flags?: number; extra?: Buffer } = {},
): Buffer {
  const length = zip.readUInt16LE(central + 28)
  const name = Buffer.from(rename(zip.toString('utf8', central + 46, central + 46 + length)))
  const content = Buffer.from('owned\n')
  const common = Buffer.alloc(26)
  common.writeUInt16LE(10, 0)
  common.writeUInt16LE(flags, 2)
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(content.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(name.length, 22)
  common.writeUInt16LE(extra.length, 24)
  const local = Buffer.concat([signed(LOCAL), common, name, extra, content])
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(0o100_600 * 0x10000, 6)
  rest.writeUInt32LE(centralStart, 10)
  const listed = Buffer.concat([signed(CENTRAL), Buffer.from([20, 3]), common, rest, name, extra])
  const last = Buffer.from(zip.subarray(end))
  for (const at of [8, 10]) last.writeUInt16LE(last.readUInt16LE(at) + 1, at)
  last.writeUInt32LE(end - centralStart + listed.length, 12)
  last.writeUInt32LE(centralStart + local.length, 16)
  return Buffer.concat([zip.subarray(0, centralStart), local, zip.subarray(centralStart, end), listed, last])
}

function unicodePath(): Buffer {
  const field = Buffer.from('xxxxx/owned')
  field[0] = 1
  const head = Buffer.alloc(4)
  head.writeUInt16LE(0x7075, 0)
  head.writeUInt16LE(field.length, 2)
  return Buffer.concat([head, field])
}

/** Inserts data before the first file that no entry of the list refers to. */
function shifted(zip: Buffer, { centralStart, end }: Places): Buffer {
  const before = Buffer.concat([signed(LOCAL), Buffer.alloc(26)])
  const copy = Buffer.concat([before, zip])
  for (let at = centralStart + before.length; at < end + before.length; ) {
    copy.writeUInt32LE(copy.readUInt32LE(at + 42) + before.length, at + 42)
    at += 46 + copy.readUInt16LE(at + 28) + copy.readUInt16LE(at + 30) + copy.readUInt16LE(at + 32)
  }
  copy.writeUInt32LE(centralStart + before.length, end + before.length + 16)
  return copy
}

/** Sets the count in the 64-bit end, which Python reads, to no files. */
function withEnd64(zip: Buffer, { centralStart, end }: Places): Buffer {
  const long = Buffer.alloc(56)
  long.writeUInt32LE(0x06064b50, 0)
  long.writeBigUInt64LE(44n, 4)
  long.writeBigUInt64LE(BigInt(centralStart), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(end), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([zip.subarray(0, end), long, locator, zip.subarray(end)])
}

function signed(signature: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(signature)
  return bytes
}
