import { closeSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BAG_FILES, parseManifestLine } from './format.ts'
import { linesOf, openForReading } from './plain-file.ts'

/** No line of a manifest is shorter: a digest, two spaces, a path, a line feed. */
const SHORTEST_LINE = 64 + 2 + 1 + 1

/** No line of ours is longer: a path has 800 bytes at most. Longer ones are ignored. */
const LONGEST_LINE = 4096

/**
 * The place of a digest in a manifest. Takes 12 bytes for each slot of a table of numbers, and no text: for 200,000 files
 * some 12 MB, where a `Map` of paths took 60.
 */
export class DigestIndex {
  readonly #manifest: number
  /** Bytes 4 to 8 of the digest of each taken slot; the first four say where to look for it. */
  readonly #checks: Uint32Array
  /** Where its line begins, plus one; 0 for a free slot. */
  readonly #places: Float64Array
  readonly #line = Buffer.allocUnsafe(LONGEST_LINE)

  private constructor(manifest: number, slots: number) {
    this.#manifest = manifest
    this.#checks = new Uint32Array(slots)
    this.#places = new Float64Array(slots)
  }

  /** Reads the manifest of a bag. */
  static async read(bag: string): Promise<DigestIndex> {
    const path = join(bag, BAG_FILES.manifest)
    const lines = Math.ceil(statSync(path).size / SHORTEST_LINE)
    const index = new DigestIndex(openForReading(path), 2 ** Math.ceil(Math.log2(2 * lines + 2)))
    let place = 0
    for await (const line of linesOf(path)) {
      index.#add(line, place)
      place += Buffer.byteLength(line)
    }
    return index
  }

  /** The path of the first file with this digest; `null` if there is none. */
  pathOf(sha256: string): string | null {
    const place = this.#places[this.#slotOf(sha256)] ?? 0
    if (place === 0) return null
    const read = readSync(this.#manifest, this.#line, 0, LONGEST_LINE, place - 1)
    const end = this.#line.subarray(0, read).indexOf('\n')
    const entry = parseManifestLine(this.#line.toString('utf8', 0, Math.max(end, 0)))
    return entry?.sha256 === sha256 ? entry.path : null
  }

  close(): void {
    closeSync(this.#manifest)
  }

  #add(line: string, place: number): void {
    const slot = this.#slotOf(line)
    if (this.#places[slot] !== 0) return
    this.#checks[slot] = checkOf(line)
    this.#places[slot] = place + 1
  }

  /** The slot of a digest, or a free one for it. There always is one: the table has twice the slots it needs. */
  #slotOf(digest: string): number {
    const mask = this.#places.length - 1
    const check = checkOf(digest)
    let slot = Number.parseInt(digest.slice(0, 8), 16) & mask
    while (this.#places[slot] !== 0 && this.#checks[slot] !== check) slot = (slot + 1) & mask
    return slot
  }
}

function checkOf(digest: string): number {
  return Number.parseInt(digest.slice(8, 16), 16) >>> 0
}
