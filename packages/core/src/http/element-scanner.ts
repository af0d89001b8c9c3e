import { DecodeError } from '../errors/decode-error.ts'

/** Deeper nesting than this is refused: whatever takes a record apart recursively would run out of stack. */
const MAX_DEPTH = 1000

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** What a scan found; offsets are within the bytes scanned. */
export interface ScanResult {
  /** The last comma between elements of the array, or -1. */
  readonly lastComma: number
  /** The bracket that closes the array, or -1. */
  readonly close: number
}

/**
 * Finds where the elements of a JSON array end, byte by byte, without looking into them. It starts behind the opening
 * bracket. It takes anything for JSON: what lies between its commas must be parsed to know.
 */
export class ElementScanner {
  #depth = 1
  #inString = false
  #escaped = false

  /** Whether a string, an object or an array within an element was begun and not ended. */
  get isWithinElement(): boolean {
    return this.#inString || this.#depth > 1
  }

  /**
   * Scans on to the closing bracket at most. The two inner loops are what decoding costs beyond `JSON.parse`.
   * @param commas takes the places of all commas between elements
   */
  scan(bytes: Uint8Array, commas?: number[]): ScanResult {
    const length = bytes.length
    let depth = this.#depth
    let inString = this.#inString
    let lastComma = -1
    let at = 0
    if (this.#escaped && length > 0) {
      this.#escaped = false
      at = 1
    }
    while (at < length) {
      if (inString) {
        let byte = 0
        while (at < length) {
          byte = bytes[at++] ?? 0
          if (byte === QUOTE || byte === BACKSLASH) break
        }
        if (byte === QUOTE) inString = false
        else if (byte === BACKSLASH) {
          // The byte behind it is skipped; where that is in the next chunk, it is remembered.
          if (at === length) this.#escaped = true
          at++
        }
        continue
      }
      while (at < length) {
        const byte = bytes[at++] ?? 0
        if (byte === QUOTE) {
          inString = true
          break
        }
        if (byte === COMMA) {
          if (depth === 1) {
            commas?.push(at - 1)
            lastComma = at - 1
          }
        } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
          if (++depth > MAX_DEPTH) throw tooDeep()
        } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
          // Brackets of the wrong kind are found by whoever parses, but for the last one, which nobody does.
          if (--depth === 0) return { lastComma, close: byte === CLOSE_ARRAY ? at - 1 : wrongClose() }
        }
      }
    }
    this.#depth = depth
    this.#inString = inString
    return { lastComma, close: -1 }
  }
}

function wrongClose(): never {
  throw new DecodeError({ problem: 'invalid_json', what: 'its brackets do not match' })
}

function tooDeep(): DecodeError {
  return new DecodeError({ problem: 'too_large', what: `a record nested deeper than ${MAX_DEPTH} levels` })
}
