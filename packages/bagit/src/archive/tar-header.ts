import { BrokenArchive, decodeName } from './member.ts'

export const BLOCK_BYTES = 512

/** A tar header that every program reads in the same way. */
export interface TarHeader {
  /** Not decoded: if a pax header gives the path, this one may be cut off within a character. */
  readonly path: Buffer
  /** `0`: a file, `5`: a folder, `x`: a pax header. */
  readonly type: string
  readonly size: number
}

const OTHER_NUMBERS = [
  [108, 8],
  [116, 8],
  [136, 12],
  [329, 8],
  [337, 8],
] as const

/**
 * Reads a header as POSIX (ustar) and GNU tar write it. Refuses anything that programs read in different ways.
 * @param at its place in the tar
 * @throws BrokenArchive
 */
export function readTarHeader(block: Buffer, at: number): TarHeader {
  const what = `the header at byte ${at}`
  if (numberIn(block, 148, 8, what) !== checksumOf(block)) throw new BrokenArchive(`${what} is damaged`)
  const magic = block.toString('latin1', 257, 265)
  const isPosix = magic === 'ustar\x0000'
  if (!isPosix && magic !== 'ustar  \0') throw new BrokenArchive(`${what} has a form that collab-export does not write`)
  const prefix = isPosix ? fieldIn(block, 345, 155, what) : Buffer.alloc(0)
  const name = fieldIn(block, 0, 100, what)
  const slash = prefix.length > 0 ? [Buffer.from('/')] : []
  // GNU tar stores times, sparse maps and more where POSIX has the prefix.
  if (!block.subarray(isPosix ? 500 : 345).every(isZero))
    throw new BrokenArchive(`${what} has data after its last field`)
  const type = block[156] === 0 ? '0' : String.fromCharCode(block[156] ?? 0)
  const mode = numberIn(block, 100, 8, what)
  if ((mode & ~0o777) !== 0) throw new BrokenArchive(`${what} has special permission bits`)
  const needed = type === '5' ? 0o700 : 0o400
  if ((mode & needed) !== needed) throw new BrokenArchive(`${what} has permissions that deny its owner access`)
  // Owner, group, time and device numbers: programs fail if these are not numbers.
  for (const [start, length] of OTHER_NUMBERS) {
    if (!block.subarray(start, start + length).every(isZero)) numberIn(block, start, length, what)
  }
  return {
    path: Buffer.concat([prefix, ...slash, name]),
    type,
    size: sizeIn(block, what),
  }
}

/** Whether a header is followed by the name of a link. */
export function namesLink(block: Buffer): boolean {
  return !block.subarray(157, 257).every(isZero)
}

export function isZero(byte: number): boolean {
  return byte === 0
}

/** Records of a pax header that only change times and owners. */
const HARMLESS: readonly string[] = ['mtime', 'atime', 'ctime', 'uid', 'gid', 'uname', 'gname']

/**
 * The path that a pax header gives the next member; `null` if it gives none.
 * @throws BrokenArchive if it sets anything else of that member, such as its size
 */
export function paxPath(content: Buffer, at: number): string | null {
  const what = `the pax header at byte ${at}`
  let path: string | null = null
  for (let rest = content; rest.length > 0; ) {
    const [, digits = ''] = /^([1-9]\d{0,6}) /.exec(rest.toString('latin1', 0, 8)) ?? []
    const record = rest.subarray(digits.length + 1, Number(digits))
    const equals = record.indexOf('=')
    if (digits === '' || rest.length < Number(digits) || record.at(-1) !== 0x0a || equals < 1) {
      throw new BrokenArchive(`${what} is damaged`)
    }
    const key = record.toString('latin1', 0, equals)
    if (key === 'path' && path === null) path = decodeName(record.subarray(equals + 1, -1), what)
    else if (!HARMLESS.includes(key)) throw new BrokenArchive(`${what} sets ${key}, which collab-export does not`)
    rest = rest.subarray(Number(digits))
  }
  if (path === '' || path?.includes('\0')) throw new BrokenArchive(`${what} is damaged`)
  return path
}

function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20
  for (const [index, byte] of block.entries()) if (index < 148 || index >= 156) sum += byte
  return sum
}

/** A text up to its first NUL, which must be followed only by NULs. */
function fieldIn(block: Buffer, start: number, length: number, what: string): Buffer {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  if (end === -1) return field
  if (!field.subarray(end).every(isZero)) throw new BrokenArchive(`${what} has a name with data after it`)
  return field.subarray(0, end)
}

/** An octal number. */
function numberIn(block: Buffer, start: number, length: number, what: string): number {
  const text = block.toString('latin1', start, start + length)
  const [, digits] = /^([0-7]+)[ \0]*$/.exec(text) ?? []
  if (digits === undefined) throw new BrokenArchive(`${what} is damaged`)
  return Number.parseInt(digits, 8)
}

/** In octal; beyond 8 GB in base 256. */
function sizeIn(block: Buffer, what: string): number {
  if (block[124] !== 0x80) return numberIn(block, 124, 12, what)
  const size = block.readBigUInt64BE(128)
  if (block.readUIntBE(125, 3) !== 0 || size > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new BrokenArchive(`${what} is damaged`)
  }
  return Number(size)
}
