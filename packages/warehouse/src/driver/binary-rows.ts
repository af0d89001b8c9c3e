import type { Cell, ColumnType } from '../tables/table.ts'

const FIRST_BYTES = 8 * 1024
const MOST_KEPT = 2 * 1024 * 1024

/** Up to this length a loop is faster than a call of `Buffer.write`. */
const SHORT = 40

/** For longer texts the exact size is reserved, because most take a third of three bytes per character. */
const LONG = 64 * 1024

const NULL = -1
const TEXT_OID = 25
const JSONB_VERSION = 1

const SECONDS_PER_DAY = 86_400
/** Days from 1 March of the year 0 to 2000-01-01, the epoch of Postgres. */
const DAYS_TO_2000 = 730_425

/** Begins and ends a binary COPY: signature, flags and length of the extension; -1 in place of a number of fields. */
export const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
export const COPY_TRAILER = Buffer.from([0xff, 0xff])

/**
 * Rows in Postgres' binary COPY format, as bytes outside V8's heap, so that the garbage collector does not scan rows that wait to be copied.
 * Values must be storable: texts without U+0000 and lone surrogates, times as `readTimestamp` returns them.
 */
export class BinaryRows {
  #bytes = Buffer.alloc(0)
  #length = 0
  #rows = 0

  get count(): number {
    return this.#rows
  }

  get length(): number {
    return this.#length
  }

  /** A view of the bytes, valid until more are added. */
  bytes(start = 0, end = this.#length): Buffer {
    return this.#bytes.subarray(start, end)
  }

  /** Removes all rows. Keeps up to `MOST_KEPT` bytes of memory for the next ones. */
  clear(): void {
    if (this.#bytes.length > MOST_KEPT) this.#bytes = Buffer.alloc(0)
    this.#length = 0
    this.#rows = 0
  }

  /** Begins a row with this number of fields. */
  row(fields: number): void {
    this.#rows += 1
    this.#reserve(2)
    this.#int16(fields)
  }

  /** Adds fields that were encoded elsewhere. */
  append(from: BinaryRows, start: number, end: number): void {
    this.#reserve(end - start)
    from.#bytes.copy(this.#bytes, this.#length, start, end)
    this.#length += end - start
  }

  /** Adds a field of a type. The cell must be one that the conversion of that type returns (see `FieldReader`). */
  value(type: ColumnType, cell: Cell): void {
    if (cell === null) this.null()
    else if (typeof cell === 'string') this.#ofText(type, cell)
    else if (typeof cell === 'number') this.#ofNumber(type, cell)
    else if (typeof cell === 'boolean') this.#flag(cell)
    else if (isList(cell)) this.texts(cell)
    else this.json(JSON.stringify(cell))
  }

  null(): void {
    this.#reserve(4)
    this.#int32(NULL)
  }

  integer(value: number): void {
    this.#reserve(8)
    this.#int32(4)
    this.#int32(value)
  }

  text(value: string): void {
    const at = this.#open()
    this.#utf8(value)
    this.#close(at)
  }

  /** `jsonb`, from its text. */
  json(text: string): void {
    const at = this.#open()
    this.#reserve(1)
    this.#bytes[this.#length++] = JSONB_VERSION
    this.#utf8(text)
    this.#close(at)
  }

  /** `text[]`. */
  texts(items: readonly string[]): void {
    const at = this.#open()
    this.#reserve(20)
    this.#int32(items.length === 0 ? 0 : 1)
    this.#int32(0)
    this.#int32(TEXT_OID)
    if (items.length > 0) {
      this.#int32(items.length)
      this.#int32(1)
    }
    for (let index = 0; index < items.length; index++) this.text(items[index] ?? '')
    this.#close(at)
  }

  /** A `uuid` from 16 characters that are bytes (U+0000 to U+00FF). */
  uuid(bytes: string): void {
    this.#reserve(20)
    this.#int32(16)
    this.#length += this.#bytes.write(bytes, this.#length, 16, 'latin1')
  }

  #ofText(type: ColumnType, value: string): void {
    if (type === 'text') this.text(value)
    else if (type === 'timestamptz') this.#time(value)
    else if (type === 'bigint') this.#bigint(BigInt(value))
    else throw new TypeError(`a column of type ${type} cannot hold a text`)
  }

  #ofNumber(type: ColumnType, value: number): void {
    if (type === 'integer') this.integer(value)
    else if (type === 'smallint') {
      this.#reserve(6)
      this.#int32(2)
      this.#int16(value)
    } else if (type === 'double precision') {
      this.#reserve(12)
      this.#int32(8)
      this.#length = this.#bytes.writeDoubleBE(value, this.#length)
    } else throw new TypeError(`a column of type ${type} cannot hold a number`)
  }

  #flag(value: boolean): void {
    this.#reserve(5)
    this.#int32(1)
    this.#bytes[this.#length++] = value ? 1 : 0
  }

  #bigint(value: bigint): void {
    this.#reserve(12)
    this.#int32(8)
    this.#length = this.#bytes.writeBigInt64BE(value, this.#length)
  }

  /** Adds `YYYY-MM-DDTHH:MM:SS.mmmZ`, with up to six decimals, as microseconds since 2000. */
  #time(text: string): void {
    const time = Number(digits(text, 11, 13)) * 3600 + digits(text, 14, 16) * 60 + digits(text, 17, 19)
    const seconds = daysSince2000(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)) * SECONDS_PER_DAY + time
    const end = text.length - 1
    const micros = digits(text, 20, end) * 10 ** (26 - end)
    // in two parts, because the product may exceed the integers that a number holds exactly
    const high = Math.floor(seconds / 65_536) * 1e6
    const low = (seconds - Math.floor(seconds / 65_536) * 65_536) * 1e6 + micros
    const upper = Math.floor(high / 65_536)
    const lower = (high - upper * 65_536) * 65_536 + low
    this.#reserve(12)
    this.#int32(8)
    this.#int32(upper + Math.floor(lower / 2 ** 32))
    this.#int32(lower % 2 ** 32)
  }

  /** Reserves room for a field's length; returns its offset. */
  #open(): number {
    this.#reserve(4)
    this.#length += 4
    return this.#length - 4
  }

  #close(at: number): void {
    this.#bytes.writeInt32BE(this.#length - at - 4, at)
  }

  #utf8(text: string): void {
    const { length } = text
    this.#reserve(length < LONG ? 3 * length : Buffer.byteLength(text))
    if (length > SHORT || !this.#ascii(text)) this.#length += this.#bytes.write(text, this.#length)
  }

  /** Writes the text if all its characters are ASCII. Returns whether they are. */
  #ascii(text: string): boolean {
    const bytes = this.#bytes
    const first = this.#length
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code > 127) return false
      bytes[first + index] = code
    }
    this.#length += text.length
    return true
  }

  #int16(value: number): void {
    this.#bytes[this.#length++] = value >>> 8
    this.#bytes[this.#length++] = value
  }

  #int32(value: number): void {
    this.#bytes[this.#length++] = value >>> 24
    this.#bytes[this.#length++] = value >>> 16
    this.#bytes[this.#length++] = value >>> 8
    this.#bytes[this.#length++] = value
  }

  #reserve(size: number): void {
    const needed = this.#length + size
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length, FIRST_BYTES))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

function isList(cell: object): cell is readonly string[] {
  return Array.isArray(cell)
}

/** The number that the digits at a place of a text denote. */
function digits(text: string, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) value = value * 10 + text.charCodeAt(at) - 48
  return value
}

/** Days from 2000-01-01 to a Gregorian date in a year of at least 1. Years are counted from March, so that leap days come last. */
function daysSince2000(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return years * 365 + leapDays + ofYear - DAYS_TO_2000
}
