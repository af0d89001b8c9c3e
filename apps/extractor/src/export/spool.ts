import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * DuckDB divides larger files among its threads, and each guesses whether it begins within a quoted text that holds line ends. A file up
 * to this size is read from its beginning.
 */
const FILE_BYTES = 4 * 1024 * 1024

/** Rows of one Parquet file, as CSV in small files that each end with a row. */
export interface SpooledRows {
  readonly paths: readonly string[]
  readonly rows: number
  readonly bytes: number
  /** Size of the largest file: more than usual if a single row is. */
  readonly largest: number
}

/** Keeps rows in files until DuckDB reads them. */
export class Spool {
  readonly #directory: string
  readonly #buffer = Buffer.allocUnsafe(FILE_BYTES)
  #used = 0
  #files = 0
  #paths: string[] = []
  #rows = 0
  #bytes = 0
  #largest = 0

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Bytes since the last `take`. */
  get bytes(): number {
    return this.#bytes
  }

  add(row: Uint8Array): void {
    if (this.#used + row.length > FILE_BYTES) this.#flush()
    if (row.length > FILE_BYTES) this.#write(row)
    else {
      this.#buffer.set(row, this.#used)
      this.#used += row.length
    }
    this.#rows++
    this.#bytes += row.length
  }

  /** The rows since the last call. */
  take(): SpooledRows {
    this.#flush()
    const taken = { paths: this.#paths, rows: this.#rows, bytes: this.#bytes, largest: this.#largest }
    this.#paths = []
    this.#rows = this.#bytes = this.#largest = 0
    return taken
  }

  #flush(): void {
    if (this.#used > 0) this.#write(this.#buffer.subarray(0, this.#used))
    this.#used = 0
  }

  #write(bytes: Uint8Array): void {
    const path = join(this.#directory, `${this.#files++}.csv`)
    const fd = openSync(path, 'wx')
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    } finally {
      closeSync(fd)
    }
    this.#paths.push(path)
    this.#largest = Math.max(this.#largest, bytes.length)
  }
}
