import { DecodeError } from '../errors/decode-error.ts'

/** Deeper nesting than this, the list included, is not read: recursive code over records would run out of stack. */
const MAX_DEPTH = 1000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LOWER_E = 0x65
const LOWER_CASE = 0x20

/** A double represents every number with fewer digits and without an exponent. */
const LONG_NUMBER = 16

/** Result of a scan; offsets are within the scanned bytes. */
export interface ScanResult {
  /** The last comma between elements of the array, or -1. */
  readonly lastComma: number
  /** The bracket that closes the array, or -1. */
  readonly close: number
  /** Whether a number was seen that a double may not represent: many digits, an exponent, or -0. */
  readonly hasLongNumber: boolean
  /** Whether an element is nested too deep to be read. */
  readonly isTooDeep: boolean
  /** Names of fields before `lastComma`, or before `close`; and those after it. */
  readonly fields: number
  readonly fieldsAfter: number
}

/**
 * Finds where the elements of a JSON array end, byte by byte, without parsing them. It starts after the opening bracket.
 * It does not check the JSON: only parsing shows whether the bytes between two commas are valid.
 */
export class ElementScanner {
  #depth = 1
  #inString = false
  #escaped = false
  /** Digits of the number that the last bytes belong to, and whether a minus precedes them. */
  #digits = 0
  #isNegative = false

  /** Whether a string, an object or an array within an element was begun and not ended. */
  get isWithinElement(): boolean {
    return this.#inString || this.#depth > 1
  }

  /**
   * Scans on to the closing bracket at most. The two inner loops are the cost of decoding beyond `JSON.parse`.
   * @param commas receives the offsets of all commas between elements
   */
  scan(bytes: Uint8Array, commas?: number[]): ScanResult {
    const length = bytes.length
    let depth = this.#depth
    let inString = this.#inString
    let digits = this.#digits
    let isNegative = this.#isNegative
    let hasLongNumber = false
    let isTooDeep = false
    let lastComma = -1
    let fields = 0
    let fieldsBefore = 0
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
          // The byte after it is skipped, even if it is in the next chunk.
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
        if (byte >= ZERO && byte <= NINE) {
          if (digits === 0 && isNegative && byte === ZERO) hasLongNumber = true
          if (++digits === LONG_NUMBER) hasLongNumber = true
          continue
        }
        if (byte === POINT) continue
        if (digits > 0 && (byte | LOWER_CASE) === LOWER_E) hasLongNumber = true
        digits = 0
        isNegative = byte === MINUS
        if (byte === COMMA) {
          if (depth === 1) {
            commas?.push(at - 1)
            lastComma = at - 1
            fieldsBefore = fields
          }
        } else if (byte === COLON) {
          fields += 1
        } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
          if (++depth > MAX_DEPTH) isTooDeep = true
        } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
          // The parser finds brackets of the wrong kind, except for the last one, which is not parsed.
          if (--depth === 0) {
            const close = byte === CLOSE_ARRAY ? at - 1 : wrongClose()
            return { lastComma, close, hasLongNumber, isTooDeep, fields, fieldsAfter: 0 }
          }
        }
      }
    }
    this.#depth = depth
    this.#inString = inString
    this.#digits = digits
    this.#isNegative = isNegative
    const fieldsAfter = fields - fieldsBefore
    return { lastComma, close: -1, hasLongNumber, isTooDeep, fields: fieldsBefore, fieldsAfter }
  }
}

function wrongClose(): never {
  throw new DecodeError({ problem: 'invalid_json', what: 'its brackets do not match' })
}

/** @param element its index in the answer's list */
export function tooDeep(element?: number): DecodeError {
  return new DecodeError({ element, problem: 'too_large', what: `a record nested deeper than ${MAX_DEPTH} levels` })
}

const SPACE = 0x20
const NULL = Buffer.from('null')

/**
 * Replaces the parts of the elements of a JSON array that are nested too deep by `null` and spaces, in place: the elements
 * can be parsed and named, and every byte keeps its offset.
 * @returns the indexes of the elements that were changed
 */
export function blankDeepValues(elements: Buffer): Set<number> {
  const commas: number[] = []
  new ElementScanner().scan(elements, commas)
  const changed = new Set<number>()
  for (const [index, start] of [-1, ...commas].entries()) {
    const element = elements.subarray(start + 1, commas[index] ?? elements.length)
    if (!new ElementScanner().scan(element).isTooDeep) continue
    blank(element)
    changed.add(index)
  }
  return changed
}

/** Blanks the arrays and objects directly within an element that are nested too deep. */
function blank(element: Buffer): void {
  let depth = 0
  let deepest = 0
  let start = 0
  let inString = false
  for (let at = 0; at < element.length; at++) {
    const byte = element[at]
    if (inString && byte === BACKSLASH) at++
    else if (byte === QUOTE) inString = !inString
    else if (inString) continue
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1
      if (depth === 2) {
        start = at
        deepest = 0
      }
      deepest = Math.max(deepest, depth)
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1
      if (depth !== 1 || deepest < MAX_DEPTH) continue
      element.fill(SPACE, start, at + 1)
      element.set(NULL, start)
    }
  }
}
