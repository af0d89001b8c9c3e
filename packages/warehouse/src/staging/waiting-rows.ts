import { BinaryRows } from '../driver/binary-rows.ts'
import type { ShapeName } from './shape.ts'

/** Rows of a stream that wait to be copied, by what they are staged as. */
export class WaitingRows {
  #rows = new Map<ShapeName, BinaryRows>()
  readonly #spare = new Map<ShapeName, BinaryRows>()

  /** In bytes. */
  get size(): number {
    let size = 0
    for (const rows of this.#rows.values()) size += rows.length
    return size
  }

  of(name: ShapeName): BinaryRows {
    let rows = this.#rows.get(name)
    if (rows === undefined) {
      rows = this.#spare.get(name) ?? new BinaryRows()
      this.#spare.delete(name)
      this.#rows.set(name, rows)
    }
    return rows
  }

  take(): Map<ShapeName, BinaryRows> {
    const rows = this.#rows
    this.#rows = new Map()
    return rows
  }

  /** Takes back the memory of copied rows for the next ones: as garbage, it would make V8 mark the whole heap every few megabytes. */
  reuse(copied: ReadonlyMap<ShapeName, BinaryRows>): void {
    for (const [name, rows] of copied) {
      rows.clear()
      this.#spare.set(name, rows)
    }
  }

  /** Keeps no memory for further rows. */
  release(): void {
    this.#spare.clear()
  }

  discard(keep: ShapeName | null): void {
    for (const name of this.#rows.keys()) if (name !== keep) this.#rows.delete(name)
  }
}
