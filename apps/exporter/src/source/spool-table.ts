import { type FileHandle, open, rm } from 'node:fs/promises'
import { FILE_MODE } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { SourceRow } from './backup-rows.ts'

/** Bytes of rows that are gathered before they are written. */
const GATHERED_BYTES = 1 << 20

interface Entry {
  readonly offset: number
  readonly length: number
  /** The record that the row is of. */
  readonly record: number
}

/**
 * Rows of one table of one project on the disk, as they arrive, then sorted. Memory holds only the place of each row,
 * and only until their scope has ended. Of several rows with one key the last counts.
 */
export class SpoolTable {
  readonly #path: string
  readonly #key: readonly string[]
  #entries = new Map<string, Entry>()
  #file: FileHandle | undefined
  #written = 0
  #pending: Buffer[] = []
  #pendingBytes = 0

  /** `key` names the columns of the table's key. */
  constructor(path: string, key: readonly string[]) {
    this.#path = path
    this.#key = key
  }

  /** Gives the record whose row this one replaces; `null` where there was none with its key. */
  async append(row: SourceRow, record: number): Promise<number | null> {
    const line = Buffer.from(`${JSON.stringify(row)}\n`)
    const key = this.#keyOf(row)
    const earlier = this.#entries.get(key)?.record ?? null
    this.#entries.set(key, { offset: this.#written + this.#pendingBytes, length: line.length, record })
    this.#pending.push(line)
    this.#pendingBytes += line.length
    if (this.#pendingBytes >= GATHERED_BYTES) await this.#flush()
    return earlier
  }

  /** Discards all rows. */
  async discard(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    this.#entries = new Map()
    this.#pending = []
    this.#pendingBytes = 0
    this.#written = 0
    await rm(this.#unsortedPath, { force: true })
  }

  /**
   * Writes the rows in the order of their keys, one JSON object a line, but for those of void records, and lets go of
   * everything else. `false` where there were none, and so is no file.
   */
  async seal(voidRecords: ReadonlySet<number>): Promise<boolean> {
    await this.#flush()
    const unsorted = this.#file
    if (unsorted) {
      const valid = [...this.#entries].filter(([, { record }]) => !voidRecords.has(record))
      const order = valid.sort(([a], [b]) => compareBytes(a, b))
      const sorted = await open(this.#path, 'wx', FILE_MODE)
      try {
        for (const lines of gathered(order.map(([, entry]) => entry))) {
          await sorted.writeFile(Buffer.concat(await Promise.all(lines.map((entry) => readEntry(unsorted, entry)))))
        }
      } finally {
        await sorted.close()
      }
    }
    await this.discard()
    return unsorted !== undefined
  }

  get #unsortedPath(): string {
    return `${this.#path}.unsorted`
  }

  /** No text of a row holds U+0000, so that keys of several parts compare part by part. */
  #keyOf(row: SourceRow): string {
    return this.#key.map((column) => String(row[column])).join('\0')
  }

  async #flush(): Promise<void> {
    if (this.#pendingBytes === 0) return
    const bytes = Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    this.#file ??= await open(this.#unsortedPath, 'wx+', FILE_MODE)
    this.#written += bytes.length
    await this.#file.writeFile(bytes)
  }
}

async function readEntry(file: FileHandle, { offset, length }: Entry): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
  if (bytesRead !== length) throw new Error('the spool was changed while it was read')
  return buffer
}

/** Entries in runs that are worth one write, none of them empty. */
function* gathered(entries: readonly Entry[]): Generator<Entry[]> {
  let run: Entry[] = []
  let bytes = 0
  for (const entry of entries) {
    run.push(entry)
    bytes += entry.length
    if (bytes < GATHERED_BYTES) continue
    yield run
    run = []
    bytes = 0
  }
  if (run.length > 0) yield run
}
