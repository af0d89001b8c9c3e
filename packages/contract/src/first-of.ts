/** Keeps the items that come first in an order, so that memory does not grow with the number of all. */
export class FirstOf<T> {
  readonly #most: number
  readonly #compare: (a: T, b: T) => number
  #items: T[] = []

  /** @param most items that are kept */
  constructor(most: number, compare: (a: T, b: T) => number) {
    this.#most = most
    this.#compare = compare
  }

  add(item: T): void {
    if (this.#items.push(item) >= 2 * this.#most) this.#items = this.all()
  }

  /** The first items, in order. */
  all(): T[] {
    return this.#items.toSorted(this.#compare).slice(0, this.#most)
  }
}
