export type FetchPage<A> = (page: number, size: number, signal: AbortSignal) => Promise<A>

interface Requested<A> {
  readonly page: number
  readonly answer: Promise<A>
}

/** Requests consecutive pages ahead of the one that is taken. Unused answers are discarded. */
export class PageReader<A> {
  readonly #fetch: FetchPage<A>
  readonly #closed = new AbortController()
  readonly #signal: AbortSignal
  readonly #underWay = new Set<Promise<unknown>>()
  #ahead: Requested<A>[] = []

  constructor(fetch: FetchPage<A>, signal: AbortSignal | undefined) {
    this.#fetch = fetch
    this.#signal = signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal])
  }

  /** The answer for a page; up to `count` pages, starting with it, are then requested or available. */
  take(page: number, size: number, count: number): Promise<A> {
    let first = this.#ahead[0]
    if (first?.page !== page) {
      first = this.#request(page, size)
      this.#ahead = [first]
    }
    while (this.#ahead.length < count) this.#ahead.push(this.#request(page + this.#ahead.length, size))
    this.#ahead.shift()
    return first.answer
  }

  /** Discards pages that were requested ahead: the next ones are requested again. */
  discard(): void {
    this.#ahead = []
  }

  /** Aborts pending requests, and waits until they have ended. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.allSettled(this.#underWay)
  }

  #request(page: number, size: number): Requested<A> {
    const answer = this.#fetch(page, size, this.#signal)
    const ended: Promise<unknown> = answer
      // A failure is thrown when its page is taken; failures of unused pages are ignored.
      .catch(() => undefined)
      .finally(() => this.#underWay.delete(ended))
    this.#underWay.add(ended)
    return { page, answer }
  }
}
