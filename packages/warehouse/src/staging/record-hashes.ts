import { BinaryRows } from '../driver/binary-rows.ts'
import type { Connection } from '../driver/driver.ts'
import { dateOf } from '../driver/values.ts'
import { quoted, type SchemaNames } from '../names.ts'
import type { Table } from '../tables/table.ts'
import { type ContentSum, EMPTY, HASH_BYTES, HashTable } from './hash-table.ts'

/** Records whose hashes are fetched at once: two megabytes. */
const BATCH = 2 ** 17

const NOT_SEEN = -1

/** The place holder of rows without a hash among the hashes that were not seen; no record has it. */
export const NO_HASH = '0'.repeat(2 * HASH_BYTES)

/** How a record compares with the stored ones: `again` if the same record was read before. */
export type Seen = 'changed' | 'unchanged' | 'again'

interface Batch {
  readonly last: unknown
  readonly newest: Date | null
  /** The hashes of the rows that have one. */
  readonly bytes: Buffer
  readonly hashed: number
  readonly hashless: number
}

/**
 * The hashes of a project's stored records, and which of them were read again unchanged, in 23 bytes a record.
 */
export class RecordHashes {
  /** By hash: the `_seq` of the unchanged record, or `NOT_SEEN`. */
  readonly #seqs: HashTable
  /** Whether live rows without a hash are stored; they may differ in any value. */
  readonly #hasHashless: boolean
  readonly #pid: string
  #size = 0
  #unseen = 0

  private constructor(pid: string, hashed: number, hashless: number) {
    this.#pid = pid
    this.#seqs = new HashTable(hashed)
    this.#hasHashless = hashless > 0
  }

  /**
   * The hashes of a project's live rows; `null` when none is stored.
   * @param onTime receives the newest `valid_from` of each batch of rows
   */
  static async load(
    connection: Connection,
    schema: SchemaNames,
    table: Table,
    pid: string,
    onTime: (newest: Date | null) => void,
  ): Promise<RecordHashes | null> {
    const live = `FROM ${schema.main}.${quoted(table.name)} WHERE pid = $1 AND deleted_at IS NULL`
    const [, first = '', ...others] = table.key
    const id = quoted(first)
    // several records may share the first part of their key
    const isLimited = others.length === 0
    const counts = 'count(record_hash), count(*) - count(record_hash)'
    const select = async (rows: string, ...params: unknown[]): Promise<Batch> => {
      const { rows: found } = await connection.query(
        `SELECT max(id), max(valid_from), encode(string_agg(uuid_send(record_hash), ''::bytea), 'base64'), ${counts}
         FROM (SELECT ${id} AS id, record_hash, valid_from ${live} ${rows}) b`,
        [pid, ...params],
      )
      const [last, newest, hashes, hashed, hashless] = found[0] ?? []
      const bytes = Buffer.from(String(hashes ?? ''), 'base64')
      return { last, newest: dateOf(newest), bytes, hashed: Number(hashed), hashless: Number(hashless) }
    }
    // Without an order first: following an index takes the server twice as long as reading the table.
    const few = await select(isLimited ? `LIMIT ${BATCH + 1}` : '')
    if (!isLimited || few.hashed + few.hashless <= BATCH) {
      onTime(few.newest)
      return few.hashed === 0 ? null : RecordHashes.#of(pid, few)
    }
    const [hashed, hashless] = (await connection.query(`SELECT ${counts} ${live}`, [pid])).rows[0]?.map(Number) ?? []
    if (!hashed) return null
    const hashes = new RecordHashes(pid, hashed, hashless ?? 0)
    for (let [compare, after]: [string, unknown] = ['>=', '']; after !== null; compare = '>') {
      const batch = await select(`AND ${id} ${compare} $2 ORDER BY ${id} LIMIT ${BATCH}`, after)
      onTime(batch.newest)
      hashes.#addAll(batch.bytes)
      after = batch.hashed + batch.hashless < BATCH ? null : batch.last
    }
    return hashes
  }

  static #of(pid: string, { hashed, hashless, bytes }: Batch): RecordHashes {
    const hashes = new RecordHashes(pid, hashed, hashless)
    hashes.#addAll(bytes)
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
    const slot = this.#seqs.slotOfText(hash)
    const before = this.#seqs.valueOf(slot)
    if (before === EMPTY) return 'changed'
    this.#seqs.setValue(slot, seq)
    if (before >= 0) return 'again'
    this.#unseen -= 1
    return 'unchanged'
  }

  get slots(): number {
    return this.#seqs.slots
  }

  /** The slot of a hash in a buffer; negative if no record has this hash. */
  slotOf(bytes: Buffer, at: number): number {
    const slot = this.#seqs.slotOf(bytes, at)
    return this.#seqs.valueOf(slot) === EMPTY ? -1 : slot
  }

  /** Whether the record of a slot has not been read yet. */
  isUnseen(slot: number): boolean {
    return this.#seqs.valueOf(slot) === NOT_SEEN
  }

  /** Notes that the record of a slot was read unchanged, for the first time; adds its hash to `sum`. */
  seeSlot(slot: number, seq: number, sum: ContentSum): void {
    this.#seqs.setValue(slot, seq)
    this.#unseen -= 1
    this.#seqs.addTo(sum, slot)
  }

  writeHash(slot: number, into: Buffer, at: number): void {
    this.#seqs.writeHash(slot, into, at)
  }

  /** Forgets that the records numbered from `first` to `last` were read. */
  forget(first: number, last: number): void {
    for (let slot = 0; slot < this.#seqs.slots; slot++) {
      const seq = this.#seqs.valueOf(slot)
      if (seq < first || seq > last) continue
      this.#seqs.setValue(slot, NOT_SEEN)
      this.#unseen += 1
    }
  }

  /** The `_seq` under which the record of that hash (as a UUID) was read; negative if it was not. */
  seqOf(uuid: string): number {
    return this.#seqs.valueOf(this.#seqs.slotOf(Buffer.from(uuid.replaceAll('-', ''), 'hex'), 0))
  }

  /** The hashes of records that were not read unchanged, as rows to copy. */
  unseenRows(): BinaryRows {
    const rows = new BinaryRows()
    const add = (hash: string) => {
      rows.row(3)
      rows.text(this.#pid)
      rows.uuid(hash)
      rows.integer(0)
    }
    if (this.#hasHashless) add('\0'.repeat(HASH_BYTES))
    const bytes = Buffer.alloc(HASH_BYTES)
    for (let slot = 0; slot < this.#seqs.slots; slot++) {
      if (!this.isUnseen(slot)) continue
      this.#seqs.writeHash(slot, bytes, 0)
      add(bytes.toString('latin1'))
    }
    return rows
  }

  #addAll(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += HASH_BYTES) {
      // The table is full if another program added rows after the count. These rows are not known, and not marked deleted.
      if (!this.#seqs.add(bytes, at, NOT_SEEN)) continue
      this.#size += 1
      this.#unseen += 1
    }
  }
}
