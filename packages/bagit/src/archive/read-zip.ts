import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, type LocalFileHeader, openPromise } from 'yauzl'
import { BagError } from '../errors.ts'
import { isForeignBag, OWN_MANIFEST } from '../format.ts'
import { inflated } from './decompress.ts'
import { type ArchiveMember, BrokenArchive, decodeName } from './member.ts'
import { expectOurForm, readZipEnd } from './zip-records.ts'

const STORED = 0
const DEFLATED = 8

/** Harmless bits of the flags: compression level, sizes after the data, name in UTF-8. */
const KNOWN_FLAGS = 0x0806
const DESCRIPTOR_FLAG = 0x0008
const UTF8_FLAG = 0x0800

const FILE_TYPE_BITS = 0o170_000
const SPECIAL_MODE_BITS = 0o7000
const FILE_TYPE = 0o100_000
const FOLDER_TYPE = 0o040_000
const TYPES: Readonly<Record<number, string>> = {
  [FILE_TYPE]: 'a file',
  [FOLDER_TYPE]: 'a folder',
  [0o120_000]: 'a symbolic link',
}
/** DOS attributes of a folder and of a file: no flags but `directory` and `archive`. */
const DOS_FOLDER = 0x10
const DOS_FILE = 0x20

const DESCRIPTOR_SIGNATURE = 0x08074b50

/**
 * The members of a zip, each to be read before the next. Some programs use the list at its end, others the headers before
 * the files: both must agree, and every byte of the zip must belong to a header, a file or the list.
 * @throws BrokenArchive
 */
export async function* zipMembers(path: string): AsyncGenerator<ArchiveMember, void, undefined> {
  await using file = await open(path)
  // Names are decoded and checked here.
  const zip = await openPromise(path, { decodeStrings: false, autoClose: false })
  try {
    const end = await readZipEnd(file, zip.fileSize)
    await refuseForeign(path)
    const read = { centralBytes: 0, entries: 0, position: 0 }
    let before: Entry | null = null
    for await (const entry of zip.eachEntry()) {
      await expectDescriptor(file, before, read.position, entry.relativeOffsetOfLocalHeader)
      const local = await zip.readLocalFileHeaderPromise(entry)
      const shown = entry.fileNameRaw.toString()
      expectSameHeaders(local, entry, shown)
      read.centralBytes += await expectOurForm(file, end.centralOffset + read.centralBytes, { entry, local, shown })
      yield memberOf(path, entry, local.fileDataStart)
      read.position = local.fileDataStart + entry.compressedSize
      read.entries += 1
      before = entry
    }
    await expectDescriptor(file, before, read.position, end.centralOffset)
    if (read.centralBytes !== end.centralBytes || read.entries !== end.entries) {
      throw new BrokenArchive('has an end that counts another number of files than its list')
    }
  } finally {
    zip.close()
  }
}

/** A zip of another program may have any form, so only the names in its list show whether it contains another tool's bag. */
async function refuseForeign(path: string): Promise<void> {
  const zip = await openPromise(path, { decodeStrings: false })
  const top: string[] = []
  let hasOwnManifest = false
  for await (const { fileNameRaw } of zip.eachEntry()) {
    const name = fileNameRaw.toString()
    const inBag = name.slice(name.indexOf('/') + 1)
    if (!inBag.includes('/')) top.push(inBag)
    hasOwnManifest ||= inBag === OWN_MANIFEST
  }
  if (isForeignBag(top, hasOwnManifest)) throw new BagError('NOT_AN_ARCHIVE', `${path} holds a bag, but not a backup`)
}

function memberOf(path: string, entry: Entry, dataStart: number): ArchiveMember {
  const name = nameOf(entry)
  const { compressedSize, uncompressedSize, compressionMethod: method, externalFileAttributes: attributes } = entry
  const isFolder = name.endsWith('/')
  const mode = attributes >>> 16
  const type = mode & FILE_TYPE_BITS
  if (type !== (isFolder ? FOLDER_TYPE : FILE_TYPE))
    return { kind: 'other', path: name, detail: TYPES[type] ?? 'neither a plain file nor a folder' }
  if ((attributes & 0xffff) !== (isFolder ? DOS_FOLDER : DOS_FILE))
    return { kind: 'other', path: name, detail: 'a file with attributes that collab-export does not write' }
  if ((mode & SPECIAL_MODE_BITS) !== 0)
    return { kind: 'other', path: name, detail: 'a file with special permission bits' }
  const needed = isFolder ? 0o700 : 0o400
  if ((mode & needed) !== needed) return { kind: 'other', path: name, detail: 'not accessible to its owner' }
  if (method !== STORED && (method !== DEFLATED || isFolder)) {
    return { kind: 'other', path: name, detail: `compressed by method ${method}` }
  }
  if (isFolder) {
    if (uncompressedSize === 0) return { kind: 'folder', path: name.slice(0, -1) }
    return { kind: 'other', path: name, detail: 'a folder with content' }
  }
  const raw = rawContent(path, dataStart, compressedSize)
  return { kind: 'file', path: name, content: checked(method === STORED ? raw : inflated(raw), entry) }
}

function nameOf({ fileNameRaw: raw, generalPurposeBitFlag: flags }: Entry): string {
  // Without the flag, programs decode letters beyond ASCII in different code pages.
  if ((flags & UTF8_FLAG) === 0 && raw.some((byte) => byte >= 0x80)) {
    throw new BrokenArchive('a file of the zip has a name that is not marked as UTF-8')
  }
  return decodeName(raw, 'a file of the zip')
}

async function* rawContent(path: string, start: number, length: number): AsyncGenerator<Buffer, void, undefined> {
  if (length > 0) yield* createReadStream(path, { start, end: start + length - 1 })
}

/** The content, which must have the size and checksum that the zip states. */
async function* checked(
  content: AsyncIterable<Buffer>,
  { crc32: sum, uncompressedSize }: Entry,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  let found = 0
  for await (const chunk of content) {
    size += chunk.length
    found = crc32(chunk, found)
    if (size > uncompressedSize) break
    yield chunk
  }
  if (size !== uncompressedSize || found !== sum)
    throw new BrokenArchive('a file does not match the size or checksum in the zip')
}

function expectSameHeaders(local: LocalFileHeader, entry: Entry, shown: string): void {
  const differ = (what: string) =>
    new BrokenArchive(`the header and the list of the zip differ in the ${what} of ${shown}`)
  if (!local.fileName.equals(entry.fileNameRaw)) throw differ('name')
  if (local.generalPurposeBitFlag !== entry.generalPurposeBitFlag) throw differ('flags')
  if (local.compressionMethod !== entry.compressionMethod) throw differ('compression')
  if (local.lastModFileDate !== entry.lastModFileDate || local.lastModFileTime !== entry.lastModFileTime) {
    throw differ('time')
  }
  if ((entry.generalPurposeBitFlag & ~(KNOWN_FLAGS | DESCRIPTOR_FLAG)) !== 0) {
    throw new BrokenArchive(`${shown} is encrypted, or has flags that collab-export does not write`)
  }
  const isLater = (entry.generalPurposeBitFlag & DESCRIPTOR_FLAG) !== 0
  const same = (found: number, expected: number) => found === expected || (isLater && found === 0)
  if (!same(local.crc32, entry.crc32)) throw differ('checksum')
  if (!same(local.compressedSize, entry.compressedSize)) throw differ('compressed size')
  if (!same(local.uncompressedSize, entry.uncompressedSize)) throw differ('size')
}

/** Only a data descriptor may be between the data of a file and the next header. */
async function expectDescriptor(file: FileHandle, entry: Entry | null, from: number, to: number): Promise<void> {
  const length = to - from
  const isExpected = entry !== null && (entry.generalPurposeBitFlag & DESCRIPTOR_FLAG) !== 0
  if (length === 0 && !isExpected) return
  if (entry !== null && isExpected && (length === 16 || length === 24)) {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, from)
    const sizeAt = (index: number) =>
      length === 16 ? buffer.readUInt32LE(8 + index * 4) : Number(buffer.readBigUInt64LE(8 + index * 8))
    const isSame =
      buffer.readUInt32LE(0) === DESCRIPTOR_SIGNATURE &&
      buffer.readUInt32LE(4) === entry.crc32 &&
      sizeAt(0) === entry.compressedSize &&
      sizeAt(1) === entry.uncompressedSize
    if (isSame) return
  }
  throw new BrokenArchive(`the bytes from ${from} to ${to} of the zip belong to no file, or its files overlap`)
}
