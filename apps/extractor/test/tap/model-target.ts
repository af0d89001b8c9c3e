import type { Message } from './messages.ts'

type Row = Readonly<Record<string, unknown>>

/** A target that stores one row per key, as those of databases do. */
export class ModelTarget {
  readonly #streams = new Map<string, Map<string, Row>>()
  #keys = new Map<string, readonly string[]>()

  take(messages: readonly Message[]): void {
    for (const { type, stream = '', key_properties: keys = [], record } of messages) {
      if (type === 'SCHEMA') {
        this.#keys.set(stream, keys)
        if (!this.#streams.has(stream)) this.#streams.set(stream, new Map())
      }
      if (type !== 'RECORD' || record === undefined) continue
      const id = JSON.stringify(this.#keys.get(stream)?.map((key) => record[key]))
      this.#streams.get(stream)?.set(id, record)
    }
  }

  /** Rows of a stream that are not marked deleted, or those that are. */
  rows(stream: string, isDeleted = false): Row[] {
    const all = [...(this.#streams.get(stream)?.values() ?? [])]
    return all.filter((row) => ((row['_sdc_deleted_at'] ?? null) !== null) === isDeleted)
  }

  get streams(): string[] {
    return [...this.#streams.keys()]
  }
}
