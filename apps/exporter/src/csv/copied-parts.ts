import type { DifferingParts } from '@collab-etl/backups/compare'

type Part = readonly [start: number, end: number]

/** Records which parts of a CSV file are copied from the previous backup's file, and returns the parts of both files that are not. */
export class CopiedParts {
  readonly #before: Part[] = []
  readonly #after: Part[] = []
  readonly #previousBytes: number
  /** Where the last copied part ends in each file. */
  #end = { before: 0, after: 0 }

  /** @param previousBytes size of the previous file */
  constructor(previousBytes: number) {
    this.#previousBytes = previousBytes
  }

  /** Records that `bytes` bytes from `start` of the previous file are at `at` in the new one. To be called in the order of both files. */
  copied(start: number, bytes: number, at: number): void {
    const { before, after } = this.#end
    if (before < start) this.#before.push([before, start])
    if (after < at) this.#after.push([after, at])
    this.#end = { before: start + bytes, after: at + bytes }
  }

  /** The header, and the parts of both files that were not copied. `bytes`: size of the new file. */
  notCopied(header: number, bytes: number): DifferingParts {
    this.copied(this.#previousBytes, 0, bytes)
    return { before: [[0, header], ...this.#before], after: [[0, header], ...this.#after] }
  }
}
