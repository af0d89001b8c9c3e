import type { FileHandle } from 'node:fs/promises'
import { type Entry, type LocalFileHeader, parseExtraFields } from 'yauzl'
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

const ZIP64_EXTRA = 0x0001

/** Sizes beyond 4 GB, times and owners, which do not change the name or content of a file. */
const HARMLESS_EXTRAS: readonly number[] = [ZIP64_EXTRA, 0x5455, 0x7875]

/**
 * Refuses extra fields that could change what is unpacked, such as another name (0x7075).
 * @returns the sizes that the local header states, in any form
 */
export function expectSameExtra(
  local: LocalFileHeader,
  entry: Entry,
  shown: string,
): { compressed: number; uncompressed: number } {
  const fields = [...entry.extraFields, ...parseExtraFields(local.extraField)]
  const foreign = fields.find(({ id }) => !HARMLESS_EXTRAS.includes(id))
  const ids = parseExtraFields(local.extraField).map(({ id }) => id)
  const doubled = [ids, entry.extraFields.map(({ id }) => id)].some((list) => new Set(list).size !== list.length)
  if (foreign || doubled) {
    const what = foreign ? `0x${foreign.id.toString(16).padStart(4, '0')}` : 'twice'
    throw new BrokenArchive(`${shown} carries an extra field that collab-export does not write (${what})`)
  }
  const long = parseExtraFields(local.extraField).find(({ id }) => id === ZIP64_EXTRA)?.data
  if (long === undefined || local.uncompressedSize !== MOST_32 || local.compressedSize !== MOST_32) {
    return { compressed: local.compressedSize, uncompressed: local.uncompressedSize }
  }
  if (long.length < 16) throw new BrokenArchive(`${shown} carries a damaged extra field`)
  return { compressed: Number(long.readBigUInt64LE(8)), uncompressed: Number(long.readBigUInt64LE(0)) }
}
