import { BinaryRows } from '../convert/binary-rows.ts'
import type { Table } from '../convert/table.ts'
import type { Connection } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'

/** Hashes fetched at once: a megabyte and a half. */
const BATCH = 100_000

/** 32-bit words of a hash. */
const WORDS = 4

const EMPTY = -2
const NOT_SEEN = -1

/** Bytes of a record's hash that are kept: 128 bits, so that collisions do not occur in practice. */
export const HASH_BYTES = 4 * WORDS

/** The place holder of rows without a hash among the hashes that were not seen; no record has it. */
export const NO_HASH = '0'.repeat(2 * HASH_BYTES)

/** How a record compares with the stored ones: `again` if the same record was read before. */
export type Seen = 'changed' | 'unchanged' | 'again'

/**
 * The hashes of a project's stored records, and which of them were read again unchanged, in 27 bytes a record.
 */
export class RecordHashes {
  readonly #words: Int32Array
  /** Per slot: the `_seq` of the unchanged record, or why there is none. */
  readonly #seqs: Int32Array
  /** Whether live rows without a hash are stored; they may differ in any value. */
  readonly #hasHashless: boolean
  #size = 0
  #unseen = 0

  private constructor(hashed: number, hashless: number) {
    const slots = Math.ceil((hashed * 4) / 3) + 1
    this.#words = new Int32Array(slots * WORDS)
    this.#seqs = new Int32Array(slots).fill(EMPTY)
    this.#hasHashless = hashless > 0
  }

  /** The hashes of a project's live rows; `null` when none is stored. */
  static async load(
    connection: Connection,
    schema: SchemaNames,
    table: Table,
    pid: string,
  ): Promise<RecordHashes | null> {
    const target = `${schema.main}.${quoted(table.name)}`
    const [, first = '', ...others] = table.key
    const id = quoted(first)
    // several records may share the first part of their key
    const limit = others.length === 0 ? `LIMIT ${BATCH}` : ''
    const counted = await connection.query(
      `SELECT count(record_hash), count(*) - count(record_hash) FROM ${target} WHERE pid = $1 AND deleted_at IS NULL`,
      [pid],
    )
    const [hashed, hashless] = counted.rows[0] ?? []
    if (Number(hashed) === 0) return null
    const hashes = new RecordHashes(Number(hashed), Number(hashless))
    for (let after: unknown = ''; after !== null; ) {
      const { rows } = await connection.query(
        `SELECT max(id), string_agg(uuid_send(record_hash), ''::bytea) FROM (
           SELECT ${id} AS id, record_hash FROM ${target}
           WHERE pid = $1 AND ${id} > $2 AND deleted_at IS NULL AND record_hash IS NOT NULL ORDER BY ${id} ${limit}) b`,
        [pid, after],
      )
      const [last, bytes] = rows[0] ?? []
      after = limit === '' ? null : (last ?? null)
      if (typeof bytes === 'string') hashes.#addAll(Buffer.from(bytes.slice('\\x'.length), 'hex'))
    }
    return hashes
  }

  /** How many stored records were read again unchanged. */
  get seen(): number {
    return this.#size - this.#unseen
  }

  /** Whether every stored record was read again unchanged. */
  get isWhollySeen(): boolean {
    return this.#unseen === 0 && !this.#hasHashless
  }

  /** Notes that a record with this hash (see `hashOf`) was read, as number `seq` of the stage. */
  see(hash: string, seq: number): Seen {
    const slot = this.#find(...wordsOf(hash))
    const before = this.#seqs[slot] ?? EMPTY
    if (before === EMPTY) return 'changed'
    this.#seqs[slot] = seq
    if (before >= 0) return 'again'
    this.#unseen -= 1
    return 'unchanged'
  }

  /** Number of slots. */
  get slots(): number {
    return this.#seqs.length
  }

  /** The slot of a hash in a buffer; negative if no record has this hash. */
  slotOf(bytes: Buffer, at: number): number {
    const slot = this.#find(
      bytes.readInt32BE(at),
      bytes.readInt32BE(at + 4),
      bytes.readInt32BE(at + 8),
      bytes.readInt32BE(at + 12),
    )
    return this.#seqs[slot] === EMPTY ? -1 : slot
  }

  /** Whether the record of a slot has not been read yet. */
  isUnseen(slot: number): boolean {
    return this.#seqs[slot] === NOT_SEEN
  }

  /** Notes that the record of a slot was read unchanged, for the first time; adds its hash to `sum`. */
  seeSlot(slot: number, seq: number, sum: ContentSum): void {
    this.#seqs[slot] = seq
    this.#unseen -= 1
    sum.addWords(this.#words, slot * WORDS)
  }

  /** Writes the hash of a slot. */
  writeHash(slot: number, into: Buffer, at: number): void {
    for (let word = 0; word < WORDS; word++) into.writeInt32BE(this.#words[slot * WORDS + word] ?? 0, at + 4 * word)
  }

  /** Forgets that the records numbered from `first` to `last` were read. */
  forget(first: number, last: number): void {
    for (let slot = 0; slot < this.#seqs.length; slot++) {
      const seq = this.#seqs[slot] ?? EMPTY
      if (seq < first || seq > last) continue
      this.#seqs[slot] = NOT_SEEN
      this.#unseen += 1
    }
  }

  /** The `_seq` under which the record of that hash (as a UUID) was read; negative if it was not. */
  seqOf(uuid: string): number {
    return this.#seqs[this.#find(...wordsOf(Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('latin1')))] ?? EMPTY
  }

  /** The hashes of records that were not read unchanged, as rows to copy. */
  unseenRows(): BinaryRows {
    const rows = new BinaryRows()
    const add = (hash: string) => {
      rows.row(2)
      rows.uuid(hash)
      rows.integer(0)
    }
    if (this.#hasHashless) add('\0'.repeat(HASH_BYTES))
    const bytes = Buffer.alloc(HASH_BYTES)
    for (let slot = 0; slot < this.#seqs.length; slot++) {
      if (this.#seqs[slot] !== NOT_SEEN) continue
      for (let word = 0; word < WORDS; word++) bytes.writeInt32BE(this.#words[slot * WORDS + word] ?? 0, 4 * word)
      add(bytes.toString('latin1'))
    }
    return rows
  }

  #addAll(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += HASH_BYTES) {
      const a = bytes.readInt32BE(at)
      const b = bytes.readInt32BE(at + 4)
      const c = bytes.readInt32BE(at + 8)
      const d = bytes.readInt32BE(at + 12)
      const slot = this.#find(a, b, c, d)
      if (this.#seqs[slot] === NOT_SEEN) continue
      const word = slot * WORDS
      this.#words[word] = a
      this.#words[word + 1] = b
      this.#words[word + 2] = c
      this.#words[word + 3] = d
      this.#seqs[slot] = NOT_SEEN
      this.#size += 1
      this.#unseen += 1
    }
  }

  /** The slot of a hash, or the empty slot for it. */
  #find(a: number, b: number, c: number, d: number): number {
    let slot = (a >>> 0) % this.#seqs.length
    while (this.#seqs[slot] !== EMPTY) {
      const word = slot * WORDS
      const words = this.#words
      if (words[word] === a && words[word + 1] === b && words[word + 2] === c && words[word + 3] === d) return slot
      slot = slot + 1 === this.#seqs.length ? 0 : slot + 1
    }
    return slot
  }
}

/** The words of a hash as they are kept: signed. */
function wordsOf(hash: string): [number, number, number, number] {
  return [wordAt(hash, 0), wordAt(hash, 4), wordAt(hash, 8), wordAt(hash, 12)]
}

/** The signed 32-bit word at an offset of a text whose characters are bytes. */
function wordAt(bytes: string, at: number): number {
  return (
    (bytes.charCodeAt(at) << 24) |
    (bytes.charCodeAt(at + 1) << 16) |
    (bytes.charCodeAt(at + 2) << 8) |
    bytes.charCodeAt(at + 3)
  )
}

const SUM_WORDS = 2 * WORDS

/**
 * The sum of records' hashes, modulo 2^256: the same for the same records in any order. Unlike an exclusive or, it distinguishes one
 * record from three times the same one. Each hash is added to both halves, so that a scope's sum can be computed from the stored hashes.
 */
export class ContentSum {
  readonly #words = new Uint32Array(SUM_WORDS)

  /** Adds a record's hash (see `hashOf`). */
  addHash(hash: string): void {
    const words = wordsOf(hash)
    this.#add([...words, ...words])
  }

  /** Adds the hash at an offset of a buffer. */
  addWords(words: Int32Array, at: number): void {
    let carry = 0
    for (let index = SUM_WORDS - 1; index >= 0; index--) {
      const sum = (this.#words[index] ?? 0) + ((words[at + (index % WORDS)] ?? 0) >>> 0) + carry
      this.#words[index] = sum
      carry = sum > 0xffffffff ? 1 : 0
    }
  }

  /** Adds another sum, of 64 hexadecimal digits. */
  add(hex: string): void {
    const bytes = Buffer.from(hex, 'hex')
    this.#add(Array.from({ length: SUM_WORDS }, (_, index) => bytes.readInt32BE(4 * index)))
  }

  /** 64 hexadecimal digits. */
  toString(): string {
    return Array.from(this.#words, (word) => word.toString(16).padStart(8, '0')).join('')
  }

  clear(): void {
    this.#words.fill(0)
  }

  #add(words: readonly number[]): void {
    let carry = 0
    for (let index = SUM_WORDS - 1; index >= 0; index--) {
      const sum = (this.#words[index] ?? 0) + ((words[index] ?? 0) >>> 0) + carry
      this.#words[index] = sum
      carry = sum > 0xffffffff ? 1 : 0
    }
  }
}
