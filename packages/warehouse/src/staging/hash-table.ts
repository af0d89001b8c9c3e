/** 32-bit words of a hash. */
const WORDS = 4

/** Bytes of a hash that are kept: 128 bits, so that collisions do not occur in practice. */
export const HASH_BYTES = 4 * WORDS

/** The value of an empty slot. */
export const EMPTY = -2

/**
 * A table from hashes to numbers, in 23 bytes per entry: at most seven of eight slots are used. Its slots are numbered, and a hash keeps its
 * slot. A hash is passed as 16 bytes of a buffer, or as a text of 16 characters that are bytes.
 */
export class HashTable {
  readonly #words: Int32Array
  readonly #values: Int32Array
  #free: number

  /** @param most maximum number of entries */
  constructor(most: number) {
    this.#free = most
    const slots = Math.ceil((most * 8) / 7) + 1
    this.#words = new Int32Array(slots * WORDS)
    this.#values = new Int32Array(slots).fill(EMPTY)
  }

  get slots(): number {
    return this.#values.length
  }

  /** The number in a slot; `EMPTY` if it is not used. */
  valueOf(slot: number): number {
    return this.#values[slot] ?? EMPTY
  }

  setValue(slot: number, value: number): void {
    this.#values[slot] = value
  }

  /** The slot of a hash, or the empty slot where it would be. */
  slotOfText(hash: string): number {
    return this.#find(wordAt(hash, 0), wordAt(hash, 4), wordAt(hash, 8), wordAt(hash, 12))
  }

  /** The same for a hash at an offset of a buffer. */
  slotOf(bytes: Buffer, at: number): number {
    return this.#find(
      bytes.readInt32BE(at),
      bytes.readInt32BE(at + 4),
      bytes.readInt32BE(at + 8),
      bytes.readInt32BE(at + 12),
    )
  }

  /** Sets the number of a hash at an offset of a buffer. Returns its slot; -1 if it is new and the table is full. */
  set(bytes: Buffer, at: number, value: number): number {
    const slot = this.slotOf(bytes, at)
    if (this.#values[slot] !== EMPTY) this.#values[slot] = value
    else if (!this.#fill(slot, bytes, at, value)) return -1
    return slot
  }

  /** Adds a hash with its number. Returns false if it is known, or if the table is full. */
  add(bytes: Buffer, at: number, value: number): boolean {
    const slot = this.slotOf(bytes, at)
    return this.#values[slot] === EMPTY && this.#fill(slot, bytes, at, value)
  }

  writeHash(slot: number, into: Buffer, at: number): void {
    for (let word = 0; word < WORDS; word++) into.writeInt32BE(this.#words[slot * WORDS + word] ?? 0, at + 4 * word)
  }

  /** Adds the hash of a used slot to a sum. */
  addTo(sum: ContentSum, slot: number): void {
    sum.addWords(this.#words, slot * WORDS)
  }

  #fill(slot: number, bytes: Buffer, at: number, value: number): boolean {
    if (this.#free-- <= 0) return false
    for (let word = 0; word < WORDS; word++) this.#words[slot * WORDS + word] = bytes.readInt32BE(at + 4 * word)
    this.#values[slot] = value
    return true
  }

  #find(a: number, b: number, c: number, d: number): number {
    const words = this.#words
    let slot = (a >>> 0) % this.#values.length
    while (this.#values[slot] !== EMPTY) {
      const word = slot * WORDS
      if (words[word] === a && words[word + 1] === b && words[word + 2] === c && words[word + 3] === d) return slot
      slot = slot + 1 === this.#values.length ? 0 : slot + 1
    }
    return slot
  }
}

/** The signed 32-bit word at an offset of a text whose characters are bytes. */
function wordAt(bytes: string, at: number): number {
  return (
    (bytes.charCodeAt(at) << 24) |
    (bytes.charCodeAt(at + 1) << 16) |
    (bytes.charCodeAt(at + 2) << 8) |
    bytes.charCodeAt(at + 3)
  )
}

const SUM_WORDS = 2 * WORDS

/**
 * The sum of records' hashes, modulo 2^256: the same for the same records in any order. Unlike an exclusive or, it distinguishes one
 * record from three times the same one. Each hash is added to both halves, so that a scope's sum can be computed from the stored hashes.
 */
export class ContentSum {
  readonly #words = new Int32Array(SUM_WORDS)
  /** The hash that is added. */
  readonly #hash = new Int32Array(WORDS)

  /** Adds a record's hash, 16 characters that are bytes. */
  addHash(hash: string): void {
    for (let word = 0; word < WORDS; word++) this.#hash[word] = wordAt(hash, 4 * word)
    this.addWords(this.#hash, 0)
  }

  /** Adds the hash whose words are at an offset. */
  addWords(words: Int32Array, at: number): void {
    let carry = 0
    for (let index = SUM_WORDS - 1; index >= 0; index--) {
      carry = this.#addWord(index, words[at + (index % WORDS)] ?? 0, carry)
    }
  }

  /** Adds another sum, of 64 hexadecimal digits. */
  add(hex: string): void {
    const bytes = Buffer.from(hex, 'hex')
    let carry = 0
    for (let index = SUM_WORDS - 1; index >= 0; index--)
      carry = this.#addWord(index, bytes.readInt32BE(4 * index), carry)
  }

  /** 64 hexadecimal digits. */
  toString(): string {
    return Array.from(this.#words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  clear(): void {
    this.#words.fill(0)
  }

  /** @returns the carry: 0 or 1 */
  #addWord(index: number, word: number, carry: number): number {
    const own = this.#words[index] ?? 0
    // in halves: V8 would allocate memory for a sum of 33 bits
    const low = (own & 0xffff) + (word & 0xffff) + carry
    const high = (own >>> 16) + (word >>> 16) + (low >>> 16)
    this.#words[index] = (high << 16) | (low & 0xffff)
    return high >>> 16
  }
}
