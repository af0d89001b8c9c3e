import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Damage } from './damage.ts'
import { type Expected, unreadable } from './read-bag.ts'

/** Memory of one reader; large enough that the disk sets the pace. */
const CHUNK_BYTES = 256 * 1024

/** Compares files with what their bag says of them, one at a time. */
export class FileChecker {
  readonly #bag: string
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)

  constructor(bag: string) {
    this.#bag = bag
  }

  /** By presence and size alone. */
  async checkSize(path: string, expected: Expected): Promise<{ damage: Damage | null; bytes: number }> {
    try {
      const found = await lstat(join(this.#bag, path))
      if (!found.isFile()) return { damage: notAFile(path), bytes: 0 }
      return { damage: sizeDamage(path, expected.bytes, found.size), bytes: found.size }
    } catch (error) {
      return { damage: unreadable(path, error), bytes: 0 }
    }
  }

  /** By every byte. */
  async checkContent(path: string, expected: Expected): Promise<{ damage: Damage | null; bytes: number }> {
    let handle: FileHandle | undefined
    try {
      // A link in the place of a file must not be followed to bytes that are elsewhere; a pipe must not be waited for.
      handle = await open(join(this.#bag, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      if (!(await handle.stat()).isFile()) return { damage: notAFile(path), bytes: 0 }
      const { sha256, bytes } = await this.#digest(handle)
      if (sha256 === expected.sha256) return { damage: null, bytes }
      return { damage: sizeDamage(path, expected.bytes, bytes) ?? changed(path, null), bytes }
    } catch (error) {
      const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP'
      return { damage: isLink ? notAFile(path) : unreadable(path, error), bytes: 0 }
    } finally {
      await handle?.close()
    }
  }

  async #digest(handle: FileHandle): Promise<{ sha256: string; bytes: number }> {
    const hash = createHash('sha256')
    let bytes = 0
    for (;;) {
      const { bytesRead } = await handle.read(this.#buffer, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) return { sha256: hash.digest('hex'), bytes }
      hash.update(this.#buffer.subarray(0, bytesRead))
      bytes += bytesRead
    }
  }
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
