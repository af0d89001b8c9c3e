/** Files being written at once: beyond this the disk's queue is full and more only takes memory. */
const FILES_AT_ONCE = 8

/** Bytes of files being written at once, unless a single one is larger. */
const BYTES_AT_ONCE = 1024 * 1024

interface Write {
  readonly bytes: number
  readonly written: Promise<() => Promise<void>>
}

/** Files that are being written; they are recorded in the order in which they were added. For one writer at a time. */
export class WriteQueue {
  readonly #writes: Write[] = []
  #bytes = 0

  /** Resolves once there is room for another. `written` gives what records the file. */
  async add(bytes: number, written: Write['written']): Promise<void> {
    // The failure is thrown when the write is settled; until then it must not count as unhandled.
    written.catch(() => {})
    this.#writes.push({ bytes, written })
    this.#bytes += bytes
    while (this.#writes.length > FILES_AT_ONCE || (this.#writes.length > 0 && this.#bytes > BYTES_AT_ONCE)) {
      await this.#settleOldest()
    }
  }

  async settle(): Promise<void> {
    while (this.#writes.length > 0) await this.#settleOldest()
  }

  async abandon(): Promise<void> {
    await Promise.allSettled(this.#writes.map(({ written }) => written))
  }

  async #settleOldest(): Promise<void> {
    const oldest = this.#writes.shift()
    if (oldest === undefined) return
    this.#bytes -= oldest.bytes
    const record = await oldest.written
    await record()
  }
}
