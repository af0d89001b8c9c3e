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
  /** Notes of the reader; see `ReceivedHash`. */
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
  readonly #records = new NumberBytes(4096)
  #count = 0

  get count(): number {
    return this.#count
  }

  get size(): number {
    return this.#records.used
  }

  /** Adds a record. The caller writes the hash of its bytes, then that of its rows, where this returns. */
  add({ notes, counts, shown }: RecordNotes): { readonly into: Buffer; readonly at: number } {
    const { project, entry, users } = shown
    const records = this.#records
    records.reserve(2 * HASH_BYTES + NUMBER_BYTES * (5 + notes.length + counts.length + users.length))
    const at = records.skip(2 * HASH_BYTES)
    records.list(notes)
    records.list(counts)
    records.number(users.length + (project === null ? 0 : 1) + (entry === null ? 0 : 1))
    if (project !== null) records.number(this.#numbers.get(project) ?? this.#add(project, ['project', project]))
    if (entry !== null) {
      const key = JSON.stringify(entry)
      records.number(this.#numbers.get(key) ?? this.#add(key, ['entry', ...entry]))
    }
    for (let index = 0; index < users.length; index++) {
      const user = users[index]
      if (user !== undefined) records.number(this.#numbers.get(user) ?? this.#add(user, ['user', user.uid, user.user]))
    }
    this.#count += 1
    return { into: records.buffer, at }
  }

  /** The block with the records that were added. */
  finish(): Buffer {
    const values = Buffer.from(JSON.stringify(this.#values))
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(values.length)
    const content = Buffer.concat([length, values, this.#records.buffer.subarray(0, this.#records.used)])
    return Buffer.concat([hash('sha256', content, 'buffer'), content])
  }

  #add(key: unknown, value: ShownValue): number {
    this.#numbers.set(key, this.#values.length)
    return this.#values.push(value) - 1
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

/** Numbers below 2^32, of variable length: seven bits per byte. Room for them must be reserved first. */
export class NumberBytes {
  buffer: Buffer
  #used = 0

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size)
  }

  get used(): number {
    return this.#used
  }

  reserve(more: number): void {
    const needed = this.#used + more
    if (needed <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, Math.ceil(1.5 * this.buffer.length)))
    larger.set(this.buffer.subarray(0, this.#used))
    this.buffer = larger
  }

  /** Leaves bytes out, which the caller writes. Returns where they begin. */
  skip(bytes: number): number {
    this.#used += bytes
    return this.#used - bytes
  }

  number(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.buffer[this.#used++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.buffer[this.#used++] = rest
  }

  /** Numbers, after their count. */
  list(numbers: readonly number[]): void {
    this.number(numbers.length)
    for (let index = 0; index < numbers.length; index++) this.number(numbers[index] ?? 0)
  }

  /** Bytes that hold numbers already. */
  copy(from: Buffer, start: number, end: number): void {
    this.#used += from.copy(this.buffer, this.#used, start, end)
  }
}

/** Reads what `NumberBytes` holds. */
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

  /** Skips the next list of numbers. */
  skipList(): void {
    for (let left = this.number(); left > 0; left--) this.number()
  }

  /** Replaces the contents of `numbers` by the next list of numbers; most have the length of the last one, and need no new memory. */
  readList(numbers: number[]): void {
    const count = this.number()
    if (numbers.length > count) numbers.length = count
    for (let index = 0; index < count; index++) numbers[index] = this.number()
  }
}
