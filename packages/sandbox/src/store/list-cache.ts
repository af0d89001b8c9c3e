import { Serialised } from './serialised.ts'

/** Bytes of lists that are kept for the next request; beyond it the lists used least recently are dropped. */
const KEPT_BYTES = 256 * 1024 * 1024

/** Keeps the bytes of large lists, so that serving one again costs no more than sending it. */
export class ListCache {
  readonly #lists = new Map<string, { version: number; list: Serialised }>()
  #bytes = 0

  /** The bytes of a list: kept ones if its version is still the same. */
  get(name: string, version: number, records: () => readonly unknown[]): Serialised {
    const kept = this.#lists.get(name)
    if (kept) this.#drop(name, kept.list)
    const list = kept?.version === version ? kept.list : Serialised.list(records())
    this.#lists.set(name, { version, list })
    this.#bytes += list.bytes
    for (const [oldest, { list: dropped }] of this.#lists) {
      if (this.#bytes <= KEPT_BYTES) break
      this.#drop(oldest, dropped)
    }
    return list
  }

  #drop(name: string, list: Serialised): void {
    this.#lists.delete(name)
    this.#bytes -= list.bytes
  }
}
