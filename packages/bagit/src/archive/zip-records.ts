import type { FileHandle } from 'node:fs/promises'
import type { Entry, LocalFileHeader } from 'yauzl'
import { BrokenArchive } from './member.ts'

/** What the end of a zip says about its list of files. */
export interface ZipEnd {
  readonly entries: number
  readonly centralOffset: number
  readonly centralBytes: number
}

const END_BYTES = 22
const END_SIGNATURE = 0x06054b50
const END64_BYTES = 56
const LOCATOR_BYTES = 20
const MOST_16 = 0xffff
const MOST_32 = 0xffffffff

/**
 * Reads the records at the end of a zip. No bytes may be before, between or after them.
 * @throws BrokenArchive if the 64-bit form says something else, or there is a comment
 */
export async function readZipEnd(file: FileHandle, size: number): Promise<ZipEnd> {
  const end = await read(file, size - END_BYTES, END_BYTES)
  if (end.readUInt32LE(0) !== END_SIGNATURE || end.readUInt16LE(20) !== 0) {
    throw new BrokenArchive('does not end with the end of a zip: it was cut off, or something was added')
  }
  const short = {
    entries: end.readUInt16LE(10),
    centralBytes: end.readUInt32LE(12),
    centralOffset: end.readUInt32LE(16),
  }
  if (end.readUInt32LE(4) !== 0 || end.readUInt16LE(8) !== short.entries) throw new BrokenArchive('is a part of a zip')
  const endStart = size - END_BYTES
  if (short.centralOffset + short.centralBytes === endStart) return short
  const start = endStart - LOCATOR_BYTES - END64_BYTES
  const long = await readEnd64(file, start)
  const isSame = (found: number, expected: number, most: number) => found === expected || found === most
  if (
    long.centralOffset + long.centralBytes === start &&
    isSame(short.entries, long.entries, MOST_16) &&
    isSame(short.centralBytes, long.centralBytes, MOST_32) &&
    isSame(short.centralOffset, long.centralOffset, MOST_32)
  ) {
    return long
  }
  throw new BrokenArchive('has bytes around its list of files that belong to nothing, or two lists')
}

async function readEnd64(file: FileHandle, start: number): Promise<ZipEnd> {
  const records = await read(file, start, END64_BYTES + LOCATOR_BYTES)
  const number = (at: number) => Number(records.readBigUInt64LE(at))
  const locator = END64_BYTES
  const entries = number(32)
  const isWhole =
    records.readUInt32LE(0) === 0x06064b50 &&
    number(4) === END64_BYTES - 12 &&
    number(16) === 0 && // disks
    number(24) === entries &&
    records.readUInt32LE(locator) === 0x07064b50 &&
    records.readUInt32LE(locator + 4) === 0 &&
    number(locator + 8) === start &&
    records.readUInt32LE(locator + 16) === 1
  if (!isWhole) throw new BrokenArchive('has bytes around its list of files that belong to nothing, or two lists')
  return { entries, centralBytes: number(40), centralOffset: number(48) }
}

async function read(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, start))
  if (start < 0 || bytesRead !== length) throw new BrokenArchive('ends too early')
  return buffer
}

/** "Version made by": Unix, 4.5, as the writer sets it. For other systems, programs read the attributes differently. */
const MADE_BY = 0x032d

/** Versions needed to unpack: stored, deflated, beyond 4 GB. Programs skip a file that needs a later one. */
const NEEDED: readonly number[] = [10, 20, 45]

const CENTRAL_HEADER_BYTES = 46
const ZIP64_EXTRA = 0x0001
const ZIP64_EXTRA_BYTES = 24

/**
 * Reads the entry of a file in the list at byte `at`.
 * @returns its length
 * @throws BrokenArchive for a form that `archive` does not write: extra fields could give another name, and other values make programs skip a file
 * or change what they unpack
 */
export async function expectOurForm(
  file: FileHandle,
  at: number,
  { entry, local, shown }: { readonly entry: Entry; readonly local: LocalFileHeader; readonly shown: string },
): Promise<number> {
  const refuse = (what: string) => new BrokenArchive(`${shown} has ${what} that collab-export does not write`)
  const header = await read(file, at, CENTRAL_HEADER_BYTES)
  if (entry.versionMadeBy !== MADE_BY) throw refuse('a version')
  const versions = [entry.versionNeededToExtract, local.versionNeededToExtract]
  if (!versions.every((version) => NEEDED.includes(version))) throw refuse('a needed version')
  const disk = header.readUInt16LE(34)
  if (entry.internalFileAttributes !== 0 || disk !== 0) throw refuse('attributes')
  if (entry.fileCommentLength > 0) throw refuse('a comment')
  const [extra, ...others] = entry.extraFields
  const isLong = [20, 24, 42].every((place) => header.readUInt32LE(place) === MOST_32)
  const isOurs = extra === undefined || (isLong && extra.id === ZIP64_EXTRA && extra.data.length === ZIP64_EXTRA_BYTES)
  const bytes = extra === undefined ? 0 : 4 + ZIP64_EXTRA_BYTES
  if (!isOurs || others.length > 0 || entry.extraFieldLength !== bytes || local.extraFieldLength > 0) {
    throw refuse('an extra field')
  }
  return CENTRAL_HEADER_BYTES + entry.fileNameLength + bytes
}
