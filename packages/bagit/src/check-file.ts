import { createHash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, read, readSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Damage } from './damage.ts'
import { type Expected, unreadable } from './read-bag.ts'

/** Memory of one reader; large enough that the disk sets the pace. */
const CHUNK_BYTES = 256 * 1024

/**
 * Files up to this size are read without giving way: asking the system through Node's threads takes eight times as long
 * as the reading itself. Larger ones are read in turns.
 */
const AT_ONCE_BYTES = 1 << 20

/** A link in the place of a file must not be followed to bytes that are elsewhere; a pipe must not be waited for. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const readAsync = promisify(read)

interface Digest {
  readonly sha256: string
  readonly bytes: number
}

/** Compares files with what their bag says of them, one at a time. */
export class FileChecker {
  readonly #bag: string
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)

  constructor(bag: string) {
    this.#bag = bag
  }

  /** By presence and size alone. */
  checkSize(path: string, expected: Expected): { damage: Damage | null; bytes: number } {
    try {
      const found = lstatSync(join(this.#bag, path))
      if (!found.isFile()) return { damage: notAFile(path), bytes: 0 }
      return { damage: sizeDamage(path, expected.bytes, found.size), bytes: found.size }
    } catch (error) {
      return { damage: unreadable(path, error), bytes: 0 }
    }
  }

  /** By every byte. */
  async checkContent(path: string, expected: Expected): Promise<{ damage: Damage | null; bytes: number }> {
    let file: number | undefined
    try {
      file = openSync(join(this.#bag, path), READ_FLAGS)
      const { size, isFile } = statOf(file)
      if (!isFile) return { damage: notAFile(path), bytes: 0 }
      const { sha256, bytes } = size <= AT_ONCE_BYTES ? this.#digestAtOnce(file, size) : await this.#digest(file)
      if (sha256 === expected.sha256) return { damage: null, bytes }
      return { damage: sizeDamage(path, expected.bytes, bytes) ?? changed(path, null), bytes }
    } catch (error) {
      const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP'
      return { damage: isLink ? notAFile(path) : unreadable(path, error), bytes: 0 }
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }

  #digestAtOnce(file: number, size: number): Digest {
    const first = readSync(file, this.#buffer, 0, CHUNK_BYTES, null)
    // All of it: most files are as small, and are done with one call to the system and one to the hash.
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

  async #digest(file: number): Promise<Digest> {
    const hash = createHash('sha256')
    let bytes = 0
    for (;;) {
      const { bytesRead } = await readAsync(file, this.#buffer, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) return { sha256: hash.digest('hex'), bytes }
      hash.update(this.#buffer.subarray(0, bytesRead))
      bytes += bytesRead
    }
  }
}

function statOf(file: number): { size: number; isFile: boolean } {
  const stats = fstatSync(file)
  return { size: stats.size, isFile: stats.isFile() }
}

function sizeDamage(path: string, expected: number | null, found: number): Damage | null {
  if (expected === null || expected === found) return null
  const detail = `${found} bytes instead of ${expected}`
  return found < expected ? { kind: 'truncated', path, detail } : changed(path, detail)
}

function notAFile(path: string): Damage {
  return changed(path, 'is no longer a plain file')
}

function changed(path: string, detail: string | null): Damage {
  return { kind: 'changed', path, detail }
}
