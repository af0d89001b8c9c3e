import { hash } from 'node:crypto'
import type { StreamName } from '@collab-etl/contract/streams'
import { type Driver, hasTable, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { SCHEMA_VERSION } from '../tables/schema.ts'
import { HASH_BYTES } from './hash-table.ts'
import { KnownRecordTable } from './known-record-table.ts'
import { BlockWriter, type RecordNotes } from './received-block.ts'
import type { RecordHashes } from './record-hashes.ts'

/** The form of blocks: those of an earlier one are not read. */
const FORM = 2

/** Size in bytes at which a block is written, so that memory stays flat. */
const BLOCK_BYTES = 1024 * 1024

/** A stream's blocks are rewritten when they hold more records than 1.5 times those that are known, plus this number. */
const SPARE_RECORDS = 1000

interface StoredBlock {
  readonly id: number
  readonly stream: StreamName
  readonly count: number
  readonly bytes: number
  /** Whether it was written under the same conditions: version of the tool and the tables, and patterns of links. */
  readonly isCurrent: boolean
}

/**
 * The table of blocks of received bytes (`received-block.ts`). It is in the staging schema, because no version of the tool reads blocks of
 * another version. It is a logged table, because it must survive a crash of the server.
 */
export class ReceivedTable {
  readonly #driver: Driver
  readonly #name: string
  readonly #conditions: string

  private constructor(driver: Driver, name: string, conditions: string) {
    this.#driver = driver
    this.#name = name
    this.#conditions = conditions
  }

  static async open(
    driver: Driver,
    schema: SchemaNames,
    { toolVersion, readAs = '' }: { readonly toolVersion: string; readonly readAs?: string | undefined },
  ): Promise<ReceivedTable> {
    const name = `${schema.stage}.received`
    if (!(await hasTable(driver, name))) {
      await driver.script(
        `CREATE TABLE IF NOT EXISTS ${name} (
           id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pid text COLLATE "C" NOT NULL, stream text NOT NULL,
           conditions text NOT NULL, records integer NOT NULL, block bytea NOT NULL
         );
         ALTER TABLE ${name} ALTER COLUMN block SET STORAGE EXTERNAL;
         CREATE INDEX IF NOT EXISTS received_pid ON ${name} (pid)`,
      )
    }
    // under other conditions, the same bytes may become other rows
    const conditions = hash('sha256', JSON.stringify([FORM, toolVersion, SCHEMA_VERSION, readAs]))
    return new ReceivedTable(driver, name, conditions)
  }

  /** All blocks of a project, oldest first. */
  async list(pid: string): Promise<StoredBlock[]> {
    const found = await this.#driver.query(
      `SELECT id, stream, records AS count, octet_length(block) AS bytes, conditions = $2 AS "isCurrent"
       FROM ${this.#name} WHERE pid = $1 ORDER BY id`,
      [pid, this.#conditions],
    )
    return records<StoredBlock>(found)
  }

  async read(id: number): Promise<Buffer> {
    const { rows } = await this.#driver.query(`SELECT encode(block, 'base64') FROM ${this.#name} WHERE id = $1`, [id])
    return Buffer.from(String(rows[0]?.[0] ?? ''), 'base64')
  }

  async add(pid: string, blocks: readonly { stream: StreamName; count: number; block: Buffer }[]): Promise<void> {
    await this.#driver.query(
      `INSERT INTO ${this.#name} (pid, stream, conditions, records, block)
       SELECT $1, b.stream, $2, b.records, decode(b.block, 'base64') FROM unnest($3::text[], $4::integer[], $5::text[]) AS b (stream, records, block)`,
      [
        pid,
        this.#conditions,
        blocks.map(({ stream }) => stream),
        blocks.map(({ count }) => count),
        blocks.map(({ block }) => block.toString('base64')),
      ],
    )
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.#driver.query(`DELETE FROM ${this.#name} WHERE id = ANY ($1::bigint[])`, [ids])
  }
}

/** The received bytes of one project: those that are stored, and those that are recorded while it is read. */
export class ProjectBytes {
  readonly #table: ReceivedTable
  readonly #pid: string
  readonly #writers = new Map<StreamName, BlockWriter>()
  readonly #streams = new Map<StreamName, Promise<KnownRecordTable | null>>()
  #blocks: Promise<StoredBlock[]> | undefined
  /** Ids of blocks that are obsolete. */
  readonly #obsolete: number[] = []
  #full: { stream: StreamName; count: number; block: Buffer }[] = []

  /** @param pid as it is stored */
  constructor(table: ReceivedTable, pid: string) {
    this.#table = table
    this.#pid = pid
  }

  /** The known bytes of a stream whose stored rows have these hashes; `null` if there are none, or if every record must be parsed. */
  load(stream: StreamName, hashes: RecordHashes | null): Promise<KnownRecordTable | null> {
    const loading = this.#streams.get(stream) ?? this.#load(stream, hashes)
    this.#streams.set(stream, loading)
    return loading
  }

  /**
   * Records the bytes in which a record was received.
   * @param hash hash of the bytes; like `content`, the hash of its rows, 16 characters that are bytes
   */
  note(stream: StreamName, hash: string, content: string, notes: RecordNotes): void {
    const { into, at } = this.#writer(stream).add(notes)
    into.write(hash, at, HASH_BYTES, 'latin1')
    into.write(content, at + HASH_BYTES, 'latin1')
  }

  /** Whether blocks wait to be written. */
  get isWaiting(): boolean {
    return this.#full.length > 0
  }

  /** Writes the blocks that are full. */
  async flush(): Promise<void> {
    const blocks = this.#full
    this.#full = []
    if (blocks.length > 0) await this.#table.add(this.#pid, blocks)
  }

  /** Writes all bytes that were recorded, and removes obsolete blocks. */
  async end(): Promise<void> {
    for (const stream of this.#writers.keys()) this.#finish(stream)
    await this.flush()
    if (this.#obsolete.length > 0) await this.#table.remove(this.#obsolete.splice(0))
  }

  async #load(stream: StreamName, hashes: RecordHashes | null): Promise<KnownRecordTable | null> {
    const table = this.#table
    this.#blocks ??= table.list(this.#pid)
    const blocks = (await this.#blocks).filter((block) => block.stream === stream)
    const current = hashes === null ? [] : blocks.filter(({ isCurrent }) => isCurrent)
    this.#obsolete.push(...blocks.filter((block) => !current.includes(block)).map(({ id }) => id))
    if (hashes === null || current.length === 0) return null
    const all = {
      count: current.reduce((sum, { count }) => sum + count, 0),
      bytes: current.reduce((sum, { bytes }) => sum + bytes, 0),
    }
    const known = new KnownRecordTable(hashes, all)
    let reading: Promise<Buffer> | undefined
    for (const [index, { id }] of current.entries()) {
      const block = await (reading ?? table.read(id))
      const next = current[index + 1]
      // the server reads it while this process works on the block
      reading = next && table.read(next.id)
      known.addBlock(block)
    }
    if (all.count > 1.5 * known.count + SPARE_RECORDS) {
      known.writeInto(() => this.#writer(stream))
      this.#obsolete.push(...current.map(({ id }) => id))
    }
    return known
  }

  #writer(stream: StreamName): BlockWriter {
    const open = this.#writers.get(stream)
    if (open !== undefined && open.size < BLOCK_BYTES) return open
    if (open !== undefined) this.#finish(stream)
    const writer = new BlockWriter()
    this.#writers.set(stream, writer)
    return writer
  }

  #finish(stream: StreamName): void {
    const writer = this.#writers.get(stream)
    this.#writers.delete(stream)
    if (writer === undefined || writer.count === 0) return
    this.#full.push({ stream, count: writer.count, block: writer.finish() })
  }
}
