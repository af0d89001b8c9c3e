import { Serialised } from './serialised.ts'

/** Capacity in bytes; the least recently used lists are dropped beyond it. */
const KEPT_BYTES = 256 * 1024 * 1024

/** Caches serialised lists, so that serving one again costs only the transfer. */
export class ListCache {
  readonly #lists = new Map<string, { version: number; list: Serialised }>()
  #bytes = 0

  /** The serialised list, from the cache if its version is unchanged. */
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
