import { DecodeError, isDecodeError } from '../errors/decode-error.ts'
import type { FieldIssue } from '../read/record.ts'
import { ElementScanner, tooDeep } from './element-scanner.ts'
import { parseRun, type Run, type RunContext } from './json-run.ts'

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)
const LESS_THAN = 0x3c

export interface DecodedValue {
  /** As `parseExactJson` returns it. */
  readonly value: unknown
  /** Losses of strings whose bytes were not UTF-8, and of fields that are there twice. */
  readonly damage: readonly FieldIssue[]
}

/** Collects a body that is one JSON value, and decodes it at its end. */
export class ValueDecoder {
  readonly #held = new GrowingBuffer()

  get length(): number {
    return this.#held.length
  }

  push(bytes: Uint8Array): void {
    this.#held.append(bytes)
  }

  /** @throws DecodeError if the body is not one complete JSON value */
  end(): DecodedValue {
    if (this.#bytes().subarray(0, 3).equals(BYTE_ORDER_MARK)) this.#held.drop(3)
    const scanner = new ElementScanner()
    const { hasLongNumber, isTooDeep, fields, fieldsAfter } = scanner.scan(this.#bytes())
    if (isTooDeep) throw tooDeep()
    const context = { firstElement: 0, offset: 0, hasLongNumber, fields: fields + fieldsAfter }
    const { values, damage } = this.#parse(scanner.isWithinElement, context)
    if (values.length === 0) throw new DecodeError({ problem: 'empty', what: 'it is empty' })
    if (values.length > 1) throw new DecodeError({ problem: 'invalid_json', what: 'it is more than one value' })
    return { value: values[0], damage: damage.get(0) ?? [] }
  }

  #bytes(): Buffer {
    return this.#held.asArray(this.#held.length).subarray(1, -1)
  }

  #parse(isOpen: boolean, context: RunContext): Run {
    try {
      return parseRun(this.#held.asArray(this.#held.length), context)
    } catch (error) {
      if (!isDecodeError(error, 'invalid_json')) throw error
      const isMarkup = this.#bytes()[0] === LESS_THAN
      if (isOpen && !isMarkup) {
        throw new DecodeError({ problem: 'truncated', what: 'it ends before its value does', byte: this.length })
      }
      throw new DecodeError({ problem: 'invalid_json', what: isMarkup ? 'it is HTML or XML' : 'it is not JSON' })
    }
  }
}

/** Decodes the chunks of a body; see `ValueDecoder`. */
export async function decodeValue(chunks: AsyncIterable<Uint8Array>): Promise<DecodedValue> {
  const decoder = new ValueDecoder()
  for await (const chunk of chunks) decoder.push(chunk)
  return decoder.end()
}

/** V8 cannot hold a longer text of a record in one string. This does not limit answers, which hold many records. */
const MAX_BYTES = 256 * 1024 * 1024

/** A buffer larger than the first of these, which a huge record needed, is replaced by one of the other size. */
const KEPT_BYTES = 1024 * 1024
const USUAL_BYTES = 256 * 1024

/**
 * Most answers are small. With 256 KiB for each, which V8 counts whether used or not, it collected garbage so often that 200 projects of
 * 20 tasks took 9.0 s of processor time instead of 6.5 s.
 */
const LEAST_BYTES = 4 * 1024
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** Bytes of consecutive JSON values after an opening bracket, so that they can be parsed in place as one array. */
export class GrowingBuffer {
  #bytes: Buffer = EMPTY
  #end = 1

  get length(): number {
    return this.#end - 1
  }

  append(bytes: Uint8Array): void {
    const end = this.#end + bytes.length
    // One byte is kept free for the closing bracket.
    if (end >= this.#bytes.length) this.#grow(end + 1)
    this.#bytes.set(bytes, this.#end)
    this.#end = end
  }

  /** The first bytes as a whole JSON array. It is valid until the buffer is changed. */
  asArray(length: number): Buffer {
    if (length + 1 >= this.#bytes.length) this.#grow(length + 2)
    this.#bytes[length + 1] = CLOSE_ARRAY
    return this.#bytes.subarray(0, length + 2)
  }

  /** Forgets the first bytes. */
  drop(length: number): void {
    const rest = this.#bytes.subarray(1 + length, this.#end)
    if (this.#bytes.length > KEPT_BYTES && rest.length < USUAL_BYTES - 2) this.#bytes = emptyArray(USUAL_BYTES)
    this.#bytes.set(rest, 1)
    this.#end = 1 + rest.length
  }

  #grow(needed: number): void {
    if (needed > MAX_BYTES) {
      throw new DecodeError({ problem: 'too_large', what: `a record larger than ${MAX_BYTES / 1024 / 1024} MiB` })
    }
    const larger = emptyArray(Math.min(MAX_BYTES, Math.max(needed, 2 * this.#bytes.length, LEAST_BYTES)))
    larger.set(this.#bytes.subarray(0, this.#end))
    this.#bytes = larger
  }
}

/** What a buffer has before the first bytes; nothing is written into it. */
const EMPTY = Buffer.of(OPEN_ARRAY)

function emptyArray(size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size)
  bytes[0] = OPEN_ARRAY
  return bytes
}
