import type { KnownRecords } from '@collab-etl/contract/streams'
import { type KnownUser, newShown } from '../records/scope-memory.ts'
import { EMPTY, HASH_BYTES, HashTable } from './hash-table.ts'
import { type BlockWriter, Cursor, NUMBER_BYTES, NumberBytes, openBlock, type RecordNotes } from './received-block.ts'
import type { RecordHashes } from './record-hashes.ts'

/** For a stream without stored records: every record is parsed. */
export const NOTHING_KNOWN: KnownRecords = { find: () => -1, noteOf: () => 0 }

/**
 * The received bytes of one stream's stored records, in some 50 bytes per record. A record is known only while its rows are stored with
 * the hash that they had when it was received.
 */
export class KnownRecordTable implements KnownRecords {
  readonly #hashes: RecordHashes
  /** By hash of the bytes: the slot of the record's hash in `#hashes`. */
  readonly #contents: HashTable
  /** By slot: the offset of the record's notes. */
  readonly #places: Uint32Array
  /** What records show of others: users, task groups and projects. */
  readonly #values: (KnownUser | readonly [string, string] | string)[] = []
  readonly #numbers = new Map<string, number>()
  readonly #notes: NumberBytes
  readonly #cursor: Cursor
  /** By slot of `#hashes`: 1 if bytes of the record are known. */
  readonly #isKnown: Uint8Array
  #count = 0
  readonly #record = { notes: [] as number[], counts: [] as number[], shown: newShown() }

  /** @param blocks maximum number of records, and of bytes, in the blocks that will be added */
  constructor(hashes: RecordHashes, { count: most, bytes }: { readonly count: number; readonly bytes: number }) {
    this.#hashes = hashes
    this.#notes = new NumberBytes(Math.max(0, bytes - 2 * HASH_BYTES * most))
    this.#cursor = new Cursor(this.#notes.buffer, 0)
    this.#contents = new HashTable(most)
    this.#places = new Uint32Array(this.#contents.slots)
    this.#isKnown = new Uint8Array(hashes.slots)
  }

  /** Number of known records; each may be known in several forms. */
  get count(): number {
    return this.#count
  }

  find(hash: string): number {
    const slot = this.#contents.slotOfText(hash)
    return this.#contents.valueOf(slot) === EMPTY ? -1 : slot
  }

  noteOf(number: number, index: number): number {
    const cursor = this.#at(number)
    if (cursor.number() <= index) return 0
    for (let skipped = 0; skipped < index; skipped++) cursor.number()
    return cursor.number()
  }

  /** The slot of the record's hash in the hashes of stored records. */
  contentOf(number: number): number {
    return this.#contents.valueOf(number)
  }

  /** The notes of a record; valid until the next call. */
  recordOf(number: number): RecordNotes {
    const cursor = this.#at(number)
    const { notes, counts, shown } = this.#record
    cursor.readList(notes)
    cursor.readList(counts)
    shown.project = null
    shown.entry = null
    let users = 0
    for (let left = cursor.number(); left > 0; left--) {
      const value = this.#values[cursor.number()]
      if (typeof value === 'string') shown.project = value
      else if (value !== undefined && 'uid' in value) shown.users[users++] = value
      else if (value !== undefined) shown.entry = value
    }
    if (shown.users.length > users) shown.users.length = users
    return this.#record
  }

  /** Adds the records of a block that are stored. Ignores a damaged block. */
  addBlock(block: Buffer): void {
    const opened = openBlock(block)
    if (opened === null) return
    const { records } = opened
    const values = opened.values.map((value) => this.#numberOf(value))
    const cursor = new Cursor(records, 0)
    while (cursor.at < records.length) {
      const start = cursor.at
      cursor.at += 2 * HASH_BYTES
      const content = this.#hashes.slotOf(records, start + HASH_BYTES)
      if (content >= 0) {
        this.#count += 1 - (this.#isKnown[content] ?? 0)
        this.#isKnown[content] = 1
        const slot = this.#contents.set(records, start, content)
        if (slot >= 0) this.#places[slot] = this.#notes.used
      }
      this.#copyNotes(cursor, values, content >= 0)
    }
  }

  /** Writes every record into blocks, each with the bytes that were added last. */
  writeInto(writer: () => BlockWriter): void {
    const latest = new Map<number, number>()
    for (let slot = 0; slot < this.#contents.slots; slot++) {
      const content = this.#contents.valueOf(slot)
      if (content === EMPTY) continue
      const other = latest.get(content)
      if (other === undefined || (this.#places[other] ?? 0) < (this.#places[slot] ?? 0)) latest.set(content, slot)
    }
    for (const [content, slot] of latest) {
      const { into, at } = writer().add(this.recordOf(slot))
      this.#contents.writeHash(slot, into, at)
      this.#hashes.writeHash(content, into, at + HASH_BYTES)
    }
  }

  #at(number: number): Cursor {
    const cursor = this.#cursor
    cursor.bytes = this.#notes.buffer
    cursor.at = this.#places[number] ?? 0
    return cursor
  }

  /** Copies or skips the notes of a record; replaces the block's numbers of values by those of this table. */
  #copyNotes(from: Cursor, values: readonly number[], isKept: boolean): void {
    const start = from.at
    from.skipList()
    from.skipList()
    const end = from.at
    const shown = from.number()
    if (isKept) {
      this.#notes.reserve(end - start + NUMBER_BYTES * (1 + shown))
      this.#notes.copy(from.bytes, start, end)
      this.#notes.number(shown)
    }
    for (let left = shown; left > 0; left--) {
      const value = values[from.number()] ?? 0
      if (isKept) this.#notes.number(value)
    }
  }

  #numberOf(value: NonNullable<ReturnType<typeof openBlock>>['values'][number]): number {
    const key = JSON.stringify(value)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const [kind, first, second] = value
    this.#numbers.set(key, this.#values.length)
    if (kind === 'user') return this.#values.push({ uid: first, user: second, isExact: true }) - 1
    return this.#values.push(kind === 'entry' ? [first, second] : first) - 1
  }
}
