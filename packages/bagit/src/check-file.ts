import { createHash, hash } from 'node:crypto'
import { closeSync, lstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Damage, notAFile, unreadable } from './damage.ts'
import { CHUNK_BYTES, LARGE_FILE_BYTES, openPlainFile, readFull } from './plain-file.ts'

/** What a bag says about a file. */
export interface Expected {
  readonly sha256: string
  /** `null` if no size is recorded. */
  readonly bytes: number | null
}

/** What was found in the place of a file. */
export interface Checked {
  /** `null` if the file is what the bag says. */
  readonly damage: Damage | null
  readonly bytes: number
}

/** Compares files with what their bag says about them, one at a time. */
export class FileChecker {
  readonly #bag: string
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)

  constructor(bag: string) {
    this.#bag = bag
  }

  /** Compares presence and size only. `path` is relative to the bag. */
  checkSize(path: string, expected: Expected): Checked {
    try {
      const found = lstatSync(join(this.#bag, path))
      if (!found.isFile()) return { damage: notAFile(path), bytes: 0 }
      return { damage: sizeDamage(path, expected.bytes, found.size), bytes: found.size }
    } catch (error) {
      return { damage: unreadable(path, error), bytes: 0 }
    }
  }

  /** Compares every byte. `path` is relative to the bag. */
  async checkContent(path: string, expected: Expected): Promise<Checked> {
    let file: number | undefined
    try {
      const opened = openPlainFile(join(this.#bag, path))
      if (opened === null) return { damage: notAFile(path), bytes: 0 }
      file = opened.file
      const { size } = opened.stats
      const { sha256, bytes } = size <= LARGE_FILE_BYTES ? this.#digestAtOnce(file, size) : await digestOf(file)
      if (sha256 === expected.sha256) return { damage: null, bytes }
      return { damage: sizeDamage(path, expected.bytes, bytes) ?? { kind: 'changed', path, detail: null }, bytes }
    } catch (error) {
      return { damage: unreadable(path, error), bytes: 0 }
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }

  #digestAtOnce(file: number, size: number): { sha256: string; bytes: number } {
    const first = readSync(file, this.#buffer, 0, CHUNK_BYTES, null)
    // Most files are as small as this, and take one call to the system and one to the hash.
    if (first === size && first < CHUNK_BYTES) {
      return { sha256: hash('sha256', this.#buffer.subarray(0, first)), bytes: first }
    }
    const digest = createHash('sha256')
    let bytes = 0
    for (let read = first; read > 0; read = readSync(file, this.#buffer, 0, CHUNK_BYTES, null)) {
      digest.update(this.#buffer.subarray(0, read))
      bytes += read
    }
    return { sha256: digest.digest('hex'), bytes }
  }
}

async function digestOf(file: number): Promise<{ sha256: string; bytes: number }> {
  const digest = createHash('sha256')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let bytes = 0
  for (let read = await readFull(file, buffer); read > 0; read = await readFull(file, buffer)) {
    digest.update(buffer.subarray(0, read))
    bytes += read
  }
  return { sha256: digest.digest('hex'), bytes }
}

function sizeDamage(path: string, expected: number | null, found: number): Damage | null {
  if (expected === null || expected === found) return null
  return { kind: found < expected ? 'truncated' : 'changed', path, detail: `${found} bytes instead of ${expected}` }
}
