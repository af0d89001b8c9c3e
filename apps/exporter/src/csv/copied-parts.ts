import type { DifferingParts } from '@collab-etl/backups/compare'

type Part = readonly [start: number, end: number]

/** Notes which parts of a CSV file are copied from the previous backup's file, in its order, and gives the parts that are not. */
export class CopiedParts {
  readonly #before: Part[] = []
  readonly #after: Part[] = []
  readonly #previousBytes: number
  /** Ends of the last part that was copied, in both files. */
  #end = { before: 0, after: 0 }

  /** @param previousBytes size of the previous file */
  constructor(previousBytes: number) {
    this.#previousBytes = previousBytes
  }

  /** Notes that bytes from `start` on were copied, in the order of both files. `at`: where they are in the new file. */
  copied(start: number, bytes: number, at: number): void {
    const { before, after } = this.#end
    if (before < start) this.#before.push([before, start])
    if (after < at) this.#after.push([after, at])
    this.#end = { before: start + bytes, after: at + bytes }
  }

  /** The parts of both files that were not copied, after the header. `bytes`: size of the new file. */
  others(header: number, bytes: number): DifferingParts {
    this.copied(this.#previousBytes, 0, bytes)
    return { before: [[0, header], ...this.#before], after: [[0, header], ...this.#after] }
  }
}
