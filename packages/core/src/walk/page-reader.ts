/** Asks for one page of a list. */
export type FetchPage<A> = (page: number, size: number, signal: AbortSignal) => Promise<A>

interface Requested<A> {
  readonly page: number
  readonly answer: Promise<A>
}

/** Asks for consecutive pages ahead of the one that is taken. What was asked for in vain is discarded. */
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

  /** The answer for a page; up to `count` pages from it on, itself included, are then asked for or at hand. */
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

  /** Forgets pages asked for ahead: the next ones taken are asked for anew. */
  discard(): void {
    this.#ahead = []
  }

  /** Aborts what is still under way, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.allSettled(this.#underWay)
  }

  #request(page: number, size: number): Requested<A> {
    const answer = this.#fetch(page, size, this.#signal)
    const ended: Promise<unknown> = answer
      // A failure counts when its page is taken; a page that never is may fail unheard.
      .catch(() => undefined)
      .finally(() => this.#underWay.delete(ended))
    this.#underWay.add(ended)
    return { page, answer }
  }
}
