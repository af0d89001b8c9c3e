import type { ReceiveLines } from './driver.ts'

/** Lines are given on in pieces of this size: each costs a call, and a write of the reader. */
const BATCH_BYTES = 64 * 1024

/** Gathers lines that come one by one, and gives them on in order, many at a time. */
export class LineBatches {
  readonly #receive: ReceiveLines
  #lines: Buffer[] = []
  #bytes = 0
  #given: Promise<void> = Promise.resolve()

  constructor(receive: ReceiveLines) {
    this.#receive = receive
  }

  /** Takes a line; a promise asks to wait. */
  add(line: Buffer): Promise<void> | undefined {
    // its bytes are valid during the call alone
    this.#lines.push(Buffer.from(line))
    this.#bytes += line.length
    return this.#bytes < BATCH_BYTES ? undefined : this.#give()
  }

  /** Gives the last lines. Rejects if one of the batches was not taken. */
  async end(): Promise<void> {
    await (this.#bytes > 0 ? this.#give() : this.#given)
  }

  #give(): Promise<void> {
    const lines = Buffer.concat(this.#lines)
    this.#lines = []
    this.#bytes = 0
    this.#given = this.#given.then(() => this.#receive(lines))
    return this.#given
  }
}
