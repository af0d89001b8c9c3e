import { DecodeError } from '../errors/decode-error.ts'
import { ElementScanner } from './element-scanner.ts'
import { parseRun, type Run, type RunContext } from './json-run.ts'
import { type ElementLookup, parseUnstored } from './stored-elements.ts'
import { GrowingBuffer, ValueDecoder } from './value-decoder.ts'

/** Larger chunks are split, so that runs stay small for chunks of any size. */
const PIECE_BYTES = 64 * 1024
/**
 * Elements are parsed together once this many bytes are buffered: with chunks of 64 KiB, a run is about one chunk. Much
 * larger runs make strings that V8 stores as large objects, which adds 10 % to the time of decoding.
 */
const RUN_BYTES = 48 * 1024
/** An answer that is not an array is read up to this size, to check whether it is an error body. */
const MAX_OTHER_BYTES = 64 * 1024

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const OPEN_ARRAY = 0x5b
const WHITESPACE: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d]

/**
 * Decodes a JSON array while its bytes arrive. The bytes are cut at commas between elements, and the elements between
 * two cuts are parsed by `parseExactJson` as an array of their own: what it accepts run by run is exactly what it accepts
 * as a whole. Memory is that of one run, or of the largest element.
 *
 * In an element that is nested too deep, the part that is too deep becomes `null`; the run names the element.
 *
 * Any answer that is not one complete array is a `DecodeError`, even after runs were emitted.
 */
export class ArrayDecoder {
  readonly #explain: (other: unknown) => Error | undefined
  readonly #lookup: ElementLookup | undefined
  readonly #scanner = new ElementScanner()
  readonly #held = new GrowingBuffer()
  readonly #other = new ValueDecoder()
  #phase: 'before' | 'inside' | 'after' | 'other' = 'before'
  /** Bytes taken, and elements emitted. */
  #offset = 0
  #elements = 0
  /** Bytes of a byte order mark seen. */
  #mark = 0
  #cut = false
  /** Whether the buffered bytes may contain numbers that a double cannot represent. */
  #hasLongNumber = false
  /** Whether the buffered bytes may contain an element that is nested too deep. */
  #isTooDeep = false
  /** Names of fields in the buffered bytes. */
  #fields = 0
  /** Number of leading bytes that were processed. They stay until more arrive, because placeholders of records refer to them. */
  #parsed = 0
  /** Offsets of the commas between the buffered elements, relative to the array that is made of them. */
  #commas: number[] = []

  /**
   * @param explain returns the error for an answer that is JSON but not an array; `undefined` for a default
   * @param lookup recognises elements that need not be parsed
   */
  constructor(explain: (other: unknown) => Error | undefined = () => undefined, lookup?: ElementLookup) {
    this.#explain = explain
    this.#lookup = lookup
  }

  /** Adds bytes and yields the runs that they complete. */
  *push(bytes: Uint8Array): Generator<Run> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      let piece = bytes.subarray(at, at + PIECE_BYTES)
      if (this.#phase === 'before') piece = this.#begin(piece)
      if (piece.length === 0) continue
      if (this.#phase === 'inside') {
        const run = this.#take(piece)
        if (run !== undefined) yield run
      } else if (this.#phase === 'other') {
        this.#takeOther(piece)
      } else {
        this.#expectWhitespace(piece)
      }
    }
  }

  end(): void {
    if (this.#phase === 'after') return
    const byte = this.#offset
    if (this.#phase === 'before') throw new DecodeError({ problem: 'empty', what: 'it is empty' })
    if (this.#phase === 'inside') {
      throw new DecodeError({ problem: 'truncated', what: 'it ends before its list does', byte })
    }
    const { value } = this.#other.end()
    throw (
      this.#explain(value) ?? new DecodeError({ problem: 'wrong_type', what: `${nameOf(value)} in place of a list` })
    )
  }

  /** Skips white space and a byte order mark before the array; returns the bytes after its opening bracket. */
  #begin(piece: Uint8Array): Uint8Array {
    for (const [index, byte] of piece.entries()) {
      const isMark = this.#mark === this.#offset && byte === BYTE_ORDER_MARK[this.#mark]
      if (isMark) this.#mark++
      if (isMark || WHITESPACE.includes(byte)) {
        this.#offset++
        continue
      }
      if (this.#mark % BYTE_ORDER_MARK.length !== 0) {
        throw new DecodeError({ problem: 'invalid_json', what: 'it is not JSON', byte: this.#offset })
      }
      this.#phase = byte === OPEN_ARRAY ? 'inside' : 'other'
      if (byte !== OPEN_ARRAY) return piece.subarray(index)
      this.#offset++
      return piece.subarray(index + 1)
    }
    return piece.subarray(piece.length)
  }

  #take(piece: Uint8Array): Run | undefined {
    const commas: number[] | undefined = this.#lookup && []
    const { lastComma, close, hasLongNumber, isTooDeep, fields, fieldsAfter } = this.#scanner.scan(piece, commas)
    this.#fields += fields
    this.#hasLongNumber ||= hasLongNumber
    this.#isTooDeep ||= isTooDeep
    if (this.#parsed > 0) this.#held.drop(this.#parsed)
    this.#parsed = 0
    const before = this.#held.length
    for (const comma of commas ?? []) this.#commas.push(before + comma + 1)
    this.#held.append(piece)
    this.#offset += piece.length
    if (close !== -1) {
      this.#phase = 'after'
      const run = this.#run(before + close)
      this.#expectWhitespace(piece.subarray(close + 1))
      return run
    }
    if (lastComma === -1 || before + lastComma < RUN_BYTES) {
      this.#fields += fieldsAfter
      return undefined
    }
    this.#cut = true
    const run = this.#run(before + lastComma)
    this.#fields = fieldsAfter
    // either may be in the part of the chunk that is still buffered
    this.#hasLongNumber = hasLongNumber
    this.#isTooDeep = isTooDeep
    return run
  }

  /** Parses the first buffered bytes, and drops them with the comma or bracket after them. */
  #run(length: number): Run | undefined {
    const offset = this.#offset - this.#held.length
    const context = {
      firstElement: this.#elements,
      offset,
      hasLongNumber: this.#hasLongNumber,
      isTooDeep: this.#isTooDeep,
      fields: this.#fields,
    }
    const array = this.#held.asArray(length)
    const run = this.#lookup ? this.#unstored(array, context, this.#lookup) : parseRun(array, context)
    if (run.values.length === 0) {
      if (!this.#cut) return undefined
      throw new DecodeError({
        problem: 'invalid_json',
        what: 'nothing between two commas',
        element: this.#elements,
        byte: offset,
      })
    }
    this.#parsed = length + 1
    this.#elements += run.values.length
    return run
  }

  #unstored(array: Buffer, context: RunContext, lookup: ElementLookup): Run {
    const commas = this.#commas
    this.#commas = []
    // the comma after the last element was replaced by the closing bracket
    if (commas.at(-1) === array.length - 1) commas.pop()
    return parseUnstored(array, commas, context, lookup)
  }

  #takeOther(piece: Uint8Array): void {
    this.#other.push(piece)
    this.#offset += piece.length
    if (this.#other.length <= MAX_OTHER_BYTES) return
    throw new DecodeError({ problem: 'wrong_type', what: 'something long in place of a list', byte: this.#offset })
  }

  #expectWhitespace(piece: Uint8Array): void {
    if (piece.every((byte) => WHITESPACE.includes(byte))) return
    throw new DecodeError({ problem: 'invalid_json', what: 'something follows its list', byte: this.#offset })
  }
}

/** Decodes the chunks of a body; see `ArrayDecoder`. */
export async function* decodeArray(
  chunks: AsyncIterable<Uint8Array>,
  explain?: (other: unknown) => Error | undefined,
  lookup?: ElementLookup,
): AsyncGenerator<Run> {
  const decoder = new ArrayDecoder(explain, lookup)
  for await (const chunk of chunks) yield* decoder.push(chunk)
  decoder.end()
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
