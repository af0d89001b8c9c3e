import { inspect } from 'node:util'

/** Shorter values may be parts of ordinary words; replacing those would garble messages without hiding anything. */
const MIN_SCRUBBED_LENGTH = 8

/**
 * A value that is never shown: not by `String()`, JSON, `util.inspect`, a log or an error.
 * `reveal()` is the only way to it.
 */
export class Secret {
  readonly #value: string
  readonly #shown: string
  readonly #parts: readonly string[]

  /**
   * @param shown the text that is shown instead
   * @param parts pieces of the value that are secret by themselves, such as the password of an address
   */
  constructor(value: string, shown = '[secret]', parts: readonly string[] = []) {
    this.#value = value
    this.#shown = shown
    this.#parts = parts.filter((part) => part.length >= MIN_SCRUBBED_LENGTH && !shown.includes(part))
  }

  /** The value itself, for the code that needs it. */
  reveal(): string {
    return this.#value
  }

  /** The text with every occurrence of the value replaced, for texts of others, such as a driver's message. */
  scrub(text: string): string {
    // a lone surrogate cannot be encoded
    const values = [this.#value, encodeURIComponent(this.#value.toWellFormed())].filter(
      (value) => value.length >= MIN_SCRUBBED_LENGTH,
    )
    let clean = text
    for (const value of values) clean = clean.replaceAll(value, this.#shown)
    for (const part of this.#parts) clean = clean.replaceAll(part, '***')
    return clean
  }

  toString(): string {
    return this.#shown
  }

  toJSON(): string {
    return this.#shown
  }

  [inspect.custom](): string {
    return this.#shown
  }
}
