/** Keeps the first items of an order, so that memory does not grow with the number of all. */
export class Best<T> {
  readonly #count: number
  readonly #compare: (a: T, b: T) => number
  #items: T[] = []

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count
    this.#compare = compare
  }

  add(item: T): void {
    this.#items.push(item)
    if (this.#items.length > 2 * this.#count + 1000) this.#trim()
  }

  /** At most as many as it was made for. */
  items(): readonly T[] {
    this.#trim()
    return this.#items
  }

  #trim(): void {
    this.#items = this.#items.sort(this.#compare).slice(0, this.#count)
  }
}
