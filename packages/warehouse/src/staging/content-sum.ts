const LIMBS = 8

/**
 * The sum of 256-bit hashes, modulo 2^256: the same for the same records in whatever order. Unlike an exclusive or it also
 * tells one record from the same one three times.
 */
export class ContentSum {
  readonly #limbs = new Uint32Array(LIMBS)

  add(digest: Buffer): void {
    let carry = 0
    for (let limb = LIMBS - 1; limb >= 0; limb--) {
      const sum = (this.#limbs[limb] ?? 0) + digest.readUInt32BE(4 * limb) + carry
      this.#limbs[limb] = sum
      carry = sum > 0xffffffff ? 1 : 0
    }
  }

  /** Adds another sum, as `toString` gives it. */
  addSum(hex: string): void {
    this.add(Buffer.from(hex, 'hex'))
  }

  /** 64 hexadecimal digits. */
  toString(): string {
    return Array.from(this.#limbs, (limb) => limb.toString(16).padStart(8, '0')).join('')
  }

  clear(): void {
    this.#limbs.fill(0)
  }
}
