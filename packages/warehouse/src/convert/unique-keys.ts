/** Lists of a record are short: up to here looking through is faster than hashing. */
const SHORT = 16

/** The keys met so far in one list of a record. Cleaning may make two of them alike that were different when sent. */
export class UniqueKeys {
  readonly #onDuplicate: (element: unknown) => void
  readonly #short: string[] = []
  readonly #long = new Set<string>()

  constructor(onDuplicate: (element: unknown) => void) {
    this.#onDuplicate = onDuplicate
  }

  /** Forgets everything: another list begins. */
  clear(): this {
    this.#short.length = 0
    if (this.#long.size > 0) this.#long.clear()
    return this
  }

  has(key: string): boolean {
    return this.#short.includes(key) || this.#long.has(key)
  }

  add(key: string): string {
    if (this.#short.length < SHORT) this.#short.push(key)
    else this.#long.add(key)
    return key
  }

  /** Whether the key is met for the first time; if not, the element is reported. */
  isNew(key: string, element: unknown): boolean {
    if (this.has(key)) {
      this.#onDuplicate(element)
      return false
    }
    this.add(key)
    return true
  }
}
