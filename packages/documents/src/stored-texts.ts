import { NumberColumn } from './columns.ts'
import type { TextStore } from './format.ts'

/** Texts in a store, by the order in which they were added. Memory holds where each is: 16 bytes. */
export class StoredTexts {
  readonly #store: TextStore
  readonly #starts = new NumberColumn()
  readonly #bytes = new NumberColumn()

  constructor(store: TextStore) {
    this.#store = store
  }

  get length(): number {
    return this.#starts.length
  }

  /** @returns its index */
  async add(text: string): Promise<number> {
    const { start, bytes } = await this.#store.add(text)
    this.#starts.push(start)
    this.#bytes.push(bytes)
    return this.length - 1
  }

  /** @throws RangeError if there is none at this index */
  async at(index: number): Promise<string> {
    return await this.#store.read({ start: this.#starts.at(index), bytes: this.#bytes.at(index) })
  }
}
