import { hash } from 'node:crypto'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { KnownUser, Shown } from '../records/scope-memory.ts'
import { HASH_BYTES } from './hash-table.ts'

/*
 * A block holds, for some records of one stream: the hash of the bytes in which each was received, the hash of the rows that it
 * became, and the notes that reading and storing need. It begins with the SHA-256 of what follows, and with the users, task
 * groups and projects that its records name. A block is independent of others, so it may be lost or occur twice.
 */

/** Notes about a record, besides the hashes of its bytes and of its rows. */
export interface RecordNotes {
  /** Notes of the reader; see `ReceivedBytes`. */
  readonly notes: readonly number[]
  /** Number of rows in each of its lists, in the order of `listTables`. */
  readonly counts: readonly number[]
  readonly shown: Shown
}

const CHECK_BYTES = 32
const LENGTH_BYTES = 4

/** The maximum length of a number in bytes. */
export const NUMBER_BYTES = 5

/** A user, task group or project that records name, as a block stores it. */
type ShownValue =
  | readonly ['user', string, KnownUser['user']]
  | readonly ['entry', string, string]
  | readonly ['project', string]

export class BlockWriter {
  readonly #values: ShownValue[] = []
  readonly #numbers = new Map<unknown, number>()
  #bytes = Buffer.allocUnsafe(4096)
  #used = 0
  #count = 0

  get count(): number {
    return this.#count
  }

  get size(): number {
    return this.#used
  }

  /** @param write writes the hash of the bytes, then that of the rows, each of `HASH_BYTES` */
  add(write: (into: Buffer, at: number) => void, { notes, counts, shown }: RecordNotes): void {
    const most = 2 * HASH_BYTES + NUMBER_BYTES * (5 + notes.length + counts.length + shown.users.length)
    if (this.#used + most > this.#bytes.length) this.#grow(this.#used + most)
    write(this.#bytes, this.#used)
    this.#used += 2 * HASH_BYTES
    this.#list(notes)
    this.#list(counts)
    const { project, entry, users } = shown
    this.#number(project === null ? 0 : 1 + this.#valueOf(project, () => ['project', project]))
    this.#number(entry === null ? 0 : 1 + this.#valueOf(JSON.stringify(entry), () => ['entry', ...entry]))
    this.#number(users.length)
    for (const user of users) this.#number(this.#valueOf(user, () => ['user', user.uid, user.user]))
    this.#count += 1
  }

  /** The block with the records that were added. */
  finish(): Buffer {
    const values = Buffer.from(JSON.stringify(this.#values))
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(values.length)
    const content = Buffer.concat([length, values, this.#bytes.subarray(0, this.#used)])
    return Buffer.concat([hash('sha256', content, 'buffer'), content])
  }

  #valueOf(key: unknown, value: () => ShownValue): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#values.length)
    return this.#values.push(value()) - 1
  }

  #list(numbers: readonly number[]): void {
    this.#number(numbers.length)
    for (const number of numbers) this.#number(number)
  }

  #number(value: number): void {
    this.#used = writeNumber(this.#bytes, this.#used, value)
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = larger
  }
}

/** The values and records of a stored block; `null` if it is damaged. */
export function openBlock(block: Buffer): { readonly values: readonly ShownValue[]; readonly records: Buffer } | null {
  const content = block.subarray(CHECK_BYTES)
  if (content.length < LENGTH_BYTES || !hash('sha256', content, 'buffer').equals(block.subarray(0, CHECK_BYTES)))
    return null
  const end = LENGTH_BYTES + content.readUInt32BE(0)
  // `finish` wrote it, and the checksum matched
  const values = parseExactJson(content.toString('utf8', LENGTH_BYTES, end)) as ShownValue[]
  return { values, records: content.subarray(end) }
}

/** Reads numbers of variable length: seven bits per byte. */
export class Cursor {
  bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.at = at
  }

  number(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
  }

  /** Replaces the contents of `list` by the next list of numbers, which begins with its length. */
  readList(numbers: number[]): void {
    numbers.length = 0
    for (let left = this.number(); left > 0; left--) numbers.push(this.number())
  }
}

/** Writes a number below 2^32 and returns the offset after it. */
export function writeNumber(bytes: Buffer, at: number, value: number): number {
  let [place, rest] = [at, value]
  while (rest >= 0x80) {
    bytes[place++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  bytes[place++] = rest
  return place
}
