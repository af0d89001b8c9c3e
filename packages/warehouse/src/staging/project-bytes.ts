import type { StreamName } from '@collab-etl/contract/streams'
import { HASH_BYTES } from './hash-table.ts'
import { KnownBytes } from './known-bytes.ts'
import { BlockWriter, type RecordNotes } from './received-block.ts'
import type { ReceivedTable, StoredBlock } from './received-table.ts'
import type { RecordHashes } from './record-hashes.ts'

/** Size in bytes at which a block is written, so that memory stays flat. */
const BLOCK_BYTES = 1024 * 1024

/** A stream's blocks are rewritten when they hold more records than 1.5 times those that are known, plus this number. */
const SPARE_RECORDS = 1000

/** The received bytes of one project: those that are stored, and those that are recorded while it is read. */
export class ProjectBytes {
  readonly #table: ReceivedTable
  readonly #pid: string
  readonly #writers = new Map<StreamName, BlockWriter>()
  readonly #streams = new Map<StreamName, Promise<KnownBytes | null>>()
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
  load(stream: StreamName, hashes: RecordHashes | null): Promise<KnownBytes | null> {
    const loading = this.#streams.get(stream) ?? this.#load(stream, hashes)
    this.#streams.set(stream, loading)
    return loading
  }

  /**
   * Records the bytes in which a record was received.
   * @param hash hash of the bytes; like `content`, the hash of its rows, 16 characters that are bytes
   */
  note(stream: StreamName, hash: string, content: string, notes: RecordNotes): void {
    this.#writer(stream).add((into, at) => {
      into.write(hash, at, HASH_BYTES, 'latin1')
      into.write(content, at + HASH_BYTES, 'latin1')
    }, notes)
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

  async #load(stream: StreamName, hashes: RecordHashes | null): Promise<KnownBytes | null> {
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
    const known = new KnownBytes(hashes, all)
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
