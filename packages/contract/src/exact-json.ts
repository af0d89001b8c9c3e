import { endOfString, parseJson } from './parse-json.ts'

/**
 * A number that a double cannot represent, as it was written: an object that `JSON.stringify` writes back as that text
 * (`JSON.rawJSON`). To calculate, use `Number(exact.rawJSON)`. It cannot be cloned to another thread.
 */
export interface ExactNumber {
  readonly rawJSON: string
}

// Node 22 and later have both; TypeScript's library does not list them yet.
const json = JSON as typeof JSON & { rawJSON(text: string): ExactNumber; isRawJSON(value: unknown): boolean }

/** A number, kept as its JSON text. */
export function exactNumber(text: string): ExactNumber {
  return json.rawJSON(text)
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON(value)
}

/**
 * Candidates that a double may not represent: 15 digits or more, an exponent, or -0. Strings may contain such characters
 * too; not where a quote or a letter comes first, as in most ids. Most texts have no candidates, or only numbers that doubles can represent.
 */
const CANDIDATE = /(?<![\w".])(?:-?\d[\d.]{14}[\d.]*(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+|-0[.0]*(?![\w.]))/g

/** One JSON number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Name of the field that marks the place of a number. It is random, so that no input contains it. */
const MARK = `number-${crypto.randomUUID()}`

/**
 * `parseJson`, but numbers that a double cannot represent (`12345678901234567890`, `1e400`, `-0`, `0.1000000000000000055`)
 * become `ExactNumber`s. Any other number has the value that is written: `1.0`, `1e2` and `0.1` are plain numbers.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseExactJson(text: string): unknown {
  const places = inexactNumbers(text)
  if (places.length === 0) return parseJson(text)
  const pieces: string[] = []
  let copied = 0
  for (const [index, { start, end }] of places.entries()) {
    // an object, as JSON allows an object wherever it allows a number
    pieces.push(text.slice(copied, start), `{"${MARK}":${index}}`)
    copied = end
  }
  const exact = places.map(({ start, end }) => exactNumber(text.slice(start, end)))
  const whole = [parseJson(pieces.join('') + text.slice(copied))]
  putBack(whole, exact)
  return whole[0]
}

/** Whether a double represents the number in a text: its shortest decimal form is the same number. `-0` is not. */
function isHeldByDouble(text: string): boolean {
  const number = Number(text)
  const shortest = String(number)
  return shortest === text || (Number.isFinite(number) && decimalOf(shortest) === decimalOf(text))
}

/** Whether an `ExactNumber` is anywhere in a value. */
export function holdsExactNumber(value: unknown): boolean {
  const waiting = [value]
  while (waiting.length > 0) {
    const item = waiting.pop()
    if (isExactNumber(item)) return true
    if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) waiting.push(inner)
  }
  return false
}

interface Place {
  readonly start: number
  readonly end: number
}

function inexactNumbers(text: string): Place[] {
  const places: Place[] = []
  // after the last string that begins before the candidate
  let at = 0
  let quote = text.indexOf('"')
  for (const { 0: number, index: start } of text.matchAll(CANDIDATE)) {
    if (isHeldByDouble(number) || !NUMBER.test(number)) continue
    while (quote !== -1 && quote < start) {
      at = endOfString(text, quote)
      quote = text.indexOf('"', at)
    }
    if (at <= start) places.push({ start, end: start + number.length })
  }
  return places
}

/** The number in one form: sign, digits without zeros at either end, exponent. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = whole + fraction
  let start = 0
  while (digits[start] === '0') start += 1
  let end = digits.length
  while (end > start && digits[end - 1] === '0') end -= 1
  if (start === end) return `${sign}0`
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}

const FIELD = { writable: true, enumerable: true, configurable: true }

/** Replaces the marks by their numbers, without recursion: an answer may be nested deeper than the call stack. */
function putBack(root: unknown[], numbers: readonly ExactNumber[]): void {
  const waiting: object[] = [root]
  const take = (container: object, name: string | number, item: unknown) => {
    if (typeof item !== 'object' || item === null) return
    const mark: unknown = Object.hasOwn(item, MARK) ? Reflect.get(item, MARK) : undefined
    if (typeof mark !== 'number') waiting.push(item)
    // not by assignment: a field named `__proto__` would be lost
    else Object.defineProperty(container, name, { ...FIELD, value: numbers[mark] })
  }
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    if (Array.isArray(container)) for (const [index, item] of container.entries()) take(container, index, item)
    else for (const name of Object.keys(container)) take(container, name, Reflect.get(container, name))
  }
}

/** A longer number is written out only if it was sent with as many digits. */
const PLAIN_DIGITS = 1000
/** Digits that a `numeric` of Postgres can have before and after the point. */
const MAX_WHOLE = 131_072
const MAX_FRACTION = 16_383

/**
 * The number without an exponent, in the digits that Postgres' `numeric` would show; `null` if that is impossible: too
 * large, too small, or so much longer than the sent text (`1e100000`) that a few bytes could fill a disk.
 */
export function plainDecimal(text: string): string | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const shift = Number(exponent)
  const wholeLength = whole === '0' && fraction === '' ? 1 : whole.length + shift
  const fractionLength = Math.max(0, fraction.length - shift)
  if (wholeLength > MAX_WHOLE || fractionLength > MAX_FRACTION) return null
  if (Math.max(wholeLength, fractionLength) > Math.max(PLAIN_DIGITS, text.length)) return null
  if (shift === 0) return text.replace(/e.*/i, '')
  const digits = whole + fraction
  const point = whole.length + shift
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = Math.max(1, point)
  const before = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  return `${sign}${before}${padded.length > at ? `.${padded.slice(at)}` : ''}`
}

/**
 * JSON with the keys of every object in one order, so that the same value is the same text whichever way it came:
 * Postgres keeps keys in an order of its own.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sorted(inner) : inner)) ?? 'null'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(object).sort()
  // Without a prototype, so that a key "__proto__" is a key like any other.
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of keys) copy[key] = object[key]
  return copy
}
