import { Buffer } from 'node:buffer'

/** A serialised body in parts of a few hundred kilobytes, so that a slow client blocks no other. */
export class Serialised {
  readonly parts: readonly Buffer[]
  readonly bytes: number
  /** Number of records of a list; `null` for other bodies. */
  readonly records: number | null

  constructor(parts: readonly Buffer[], records: number | null = null) {
    this.parts = parts
    this.records = records
    this.bytes = parts.reduce((sum, part) => sum + part.length, 0)
  }

  toText(): string {
    return Buffer.concat(this.parts).toString()
  }

  static text(text: string): Serialised {
    return new Serialised(text === '' ? [] : [Buffer.from(text)])
  }

  static json(value: unknown): Serialised {
    return Serialised.text(JSON.stringify(value))
  }

  /** A JSON array. */
  static list(records: readonly unknown[]): Serialised {
    const parts = new Parts()
    parts.addList(records)
    return new Serialised(parts.take(), records.length)
  }

  /** A JSON object, whose fields may be long arrays. */
  static object(fields: object): Serialised {
    const parts = new Parts()
    for (const [index, [name, value]] of Object.entries(fields).entries()) {
      parts.add(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
      if (Array.isArray(value)) parts.addList(value)
      else parts.add(JSON.stringify(value))
    }
    parts.add('}')
    return new Serialised(parts.take())
  }
}

/** Size of a part, in bytes. */
const PART_BYTES = 256 * 1024

/** Largest number of UTF-8 bytes per UTF-16 unit. */
const BYTES_A_UNIT = 3

/** Collects texts into parts. Joined they could exceed the longest possible string. */
class Parts {
  #parts: Buffer[] = []
  #open = Buffer.allocUnsafe(PART_BYTES)
  #used = 0

  add(text: string): void {
    const most = text.length * BYTES_A_UNIT
    if (this.#used + most > this.#open.length) this.#close(Math.max(PART_BYTES, most))
    this.#used += this.#open.write(text, this.#used)
  }

  addList(records: readonly unknown[]): void {
    let before = '['
    for (const record of records) {
      this.add(before)
      this.add(JSON.stringify(record))
      before = ','
    }
    this.add(before === '[' ? '[]' : ']')
  }

  take(): Buffer[] {
    this.#close(0)
    return this.#parts
  }

  #close(next: number): void {
    if (this.#used > 0) this.#parts.push(this.#open.subarray(0, this.#used))
    this.#open = Buffer.allocUnsafe(next)
    this.#used = 0
  }
}

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
