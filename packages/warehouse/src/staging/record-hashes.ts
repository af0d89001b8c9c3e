import type { Table } from '../convert/table.ts'
import type { Connection } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { CopyBytes } from './copy-bytes.ts'

/** Hashes fetched at once: a megabyte and a half. */
const BATCH = 100_000

/** 32-bit words of a hash. */
const WORDS = 4

const EMPTY = -2
const NOT_SEEN = -1

/** Hexadecimal digits of a record's hash that are kept: 128 bits, so that collisions do not occur in practice. */
export const HASH_DIGITS = 8 * WORDS

const HASH_BYTES = 4 * WORDS

/** The place holder of rows without a hash among the hashes that were not seen; no record has it. */
export const NO_HASH = '0'.repeat(HASH_DIGITS)

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
    const id = quoted(table.key[1] ?? '')
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
           WHERE pid = $1 AND ${id} > $2 AND deleted_at IS NULL AND record_hash IS NOT NULL ORDER BY ${id} LIMIT ${BATCH}) b`,
        [pid, after],
      )
      const [last, bytes] = rows[0] ?? []
      after = last ?? null
      if (typeof bytes === 'string') hashes.#addAll(Buffer.from(bytes.slice('\\x'.length), 'hex'))
    }
    return hashes
  }

  /** Whether every stored record was read again unchanged. */
  get isWhollySeen(): boolean {
    return this.#unseen === 0 && !this.#hasHashless
  }

  /** Notes that a record with this hash (in hexadecimal, of which the first digits count) was read, as number `seq` of the stage. */
  see(digest: string, seq: number): Seen {
    const slot = this.#find(...wordsOf(digest))
    const before = this.#seqs[slot] ?? EMPTY
    if (before === EMPTY) return 'changed'
    this.#seqs[slot] = seq
    if (before >= 0) return 'again'
    this.#unseen -= 1
    return 'unchanged'
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
    return this.#seqs[this.#find(...wordsOf(uuid.replaceAll('-', '')))] ?? EMPTY
  }

  /** Lines of COPY with the hashes that were not seen. */
  unseenLines(): CopyBytes {
    const lines = new CopyBytes()
    if (this.#hasHashless) lines.add(`${NO_HASH}\t0\n`)
    const bytes = Buffer.alloc(HASH_BYTES)
    for (let slot = 0; slot < this.#seqs.length; slot++) {
      if (this.#seqs[slot] !== NOT_SEEN) continue
      for (let word = 0; word < WORDS; word++) bytes.writeInt32BE(this.#words[slot * WORDS + word] ?? 0, 4 * word)
      lines.add(`${bytes.toString('hex')}\t0\n`)
    }
    return lines
  }

  #addAll(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += HASH_BYTES) {
      const a = bytes.readInt32BE(at)
      const b = bytes.readInt32BE(at + 4)
      const c = bytes.readInt32BE(at + 8)
      const d = bytes.readInt32BE(at + 12)
      const slot = this.#find(a, b, c, d)
      if (this.#seqs[slot] === NOT_SEEN) continue
      this.#words.set([a, b, c, d], slot * WORDS)
      this.#seqs[slot] = NOT_SEEN
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
function wordsOf(hex: string): [number, number, number, number] {
  return [hexWord(hex, 0) | 0, hexWord(hex, 1) | 0, hexWord(hex, 2) | 0, hexWord(hex, 3) | 0]
}

const DIGIT = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

const DIGITS_PER_WORD = 8

/** The 32-bit word at an index of a text of hexadecimal digits; unsigned. */
function hexWord(hex: string, index: number): number {
  const first = DIGITS_PER_WORD * index
  let word = 0
  for (let at = first; at < first + DIGITS_PER_WORD; at++) word = word * 16 + (DIGIT[hex.charCodeAt(at)] ?? 0)
  return word
}

const SUM_WORDS = 8

/**
 * The sum of records' hashes, modulo 2^256: the same for the same records in any order. Unlike an exclusive or, it differs
 * between one record and three times the same one. Of each hash only the stored digits count, once in either half: a
 * scope's sum can be computed from the rows alone.
 */
export class ContentSum {
  readonly #words = new Uint32Array(SUM_WORDS)

  /** Adds a record's hash, of which the first `HASH_DIGITS` hexadecimal digits count. */
  addHash(hex: string): void {
    const stored = hex.slice(0, HASH_DIGITS)
    this.add(stored + stored)
  }

  /** Adds another sum, of 64 hexadecimal digits. */
  add(hex: string): void {
    let carry = 0
    for (let index = SUM_WORDS - 1; index >= 0; index--) {
      const sum = (this.#words[index] ?? 0) + hexWord(hex, index) + carry
      this.#words[index] = sum
      carry = sum > 0xffffffff ? 1 : 0
    }
  }

  /** 64 hexadecimal digits. */
  toString(): string {
    return Array.from(this.#words, (word) => word.toString(16).padStart(8, '0')).join('')
  }

  clear(): void {
    this.#words.fill(0)
  }
}
