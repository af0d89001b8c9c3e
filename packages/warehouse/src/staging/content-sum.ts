import { hexWord } from './hex-words.ts'
import { HASH_DIGITS } from './record-hashes.ts'

const WORDS = 8

/**
 * The sum of records' hashes, modulo 2^256: the same for the same records in any order. Unlike an exclusive or, it differs
 * between one record and three times the same one. Of each hash only the stored digits count, once in either half: a
 * scope's sum can be computed from the rows alone.
 */
export class ContentSum {
  readonly #words = new Uint32Array(WORDS)

  /** Adds a record's hash, of which the first `HASH_DIGITS` hexadecimal digits count. */
  addHash(hex: string): void {
    const stored = hex.slice(0, HASH_DIGITS)
    this.add(stored + stored)
  }

  /** Adds another sum, of 64 hexadecimal digits. */
  add(hex: string): void {
    let carry = 0
    for (let index = WORDS - 1; index >= 0; index--) {
      const sum = (this.#words[index] ?? 0) + hexWord(hex, index) + carry
      this.#words[index] = sum
      carry = sum > 0xffffffff ? 1 : 0
    }
  }

  /** 64 hexadecimal digits. */
  toString(): string {
    return Array.from(this.#words, (word) => word.toString(16).padStart(8, '0')).join('')
  }

  clear(): void {
    this.#words.fill(0)
  }
}
