import { isUtf8 } from 'node:buffer'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import { parseJson } from '@collab-etl/contract/parse-json'
import { DecodeError } from '../errors/decode-error.ts'
import { type FieldIssue, fieldIssue } from '../read/record.ts'
import type { ElementBytes } from '../read/unchanged.ts'
import { blankDeepValues, ElementScanner } from './element-scanner.ts'
import { countFields, repeatedFields } from './repeated-fields.ts'

/** Consecutive elements of an array, decoded. */
export interface Run {
  /** Values as `parseExactJson` makes them. */
  readonly values: unknown[]
  /** Index of the first of them in the array. */
  readonly firstElement: number
  /** Losses of elements whose bytes were not UTF-8, or that have a field twice, by their index in `values`. */
  readonly damage: ReadonlyMap<number, readonly FieldIssue[]>
  /** Indexes in `values` of elements that are nested too deep; the part that is too deep is `null`. */
  readonly tooDeep: ReadonlySet<number>
  /** Places of the elements in `bytes`, if they were looked up; valid until the next run. */
  readonly elements?: readonly ElementBytes[]
  readonly bytes?: Buffer
}

const UNDAMAGED: ReadonlyMap<number, readonly FieldIssue[]> = new Map()
const NONE: ReadonlySet<number> = new Set()

/** Where a run is in its answer, and what a scan of it found. */
export interface RunContext {
  /** Index of the first element in the answer's array. */
  readonly firstElement: number
  /** Offset in the answer of the first byte after the opening bracket. */
  readonly offset: number
  /** Whether it may contain numbers that a double cannot represent; only then they are searched for. */
  readonly hasLongNumber: boolean
  /** Whether elements may be nested too deep; only then they are searched for. */
  readonly isTooDeep?: boolean
  /** Number of fields in the text of all elements; default: repeated fields are not looked for. */
  readonly fields?: number
}

/**
 * Parses the elements of an array.
 * @param array the bytes, brackets included; parts that are nested too deep are overwritten
 * @throws DecodeError that names the element and its offset in the answer
 */
export function parseRun(array: Buffer, context: RunContext): Run {
  const tooDeep = context.isTooDeep === true ? blankDeepValues(array.subarray(1, -1)) : NONE
  const values = parse(array.toString(), array, context)
  const damage = new Map(isUtf8(array) ? UNDAMAGED : damageOf(array))
  if (context.fields !== undefined && countFields(values, context.hasLongNumber) !== context.fields) {
    for (const [index, losses] of repeatedIn(array)) damage.set(index, [...(damage.get(index) ?? []), ...losses])
  }
  return { values, firstElement: context.firstElement, damage, tooDeep }
}

function repeatedIn(array: Buffer): [number, FieldIssue[]][] {
  return elementsOf(array).flatMap(({ start, end }, index): [number, FieldIssue[]][] => {
    const losses = repeatedFields(array.toString('utf8', start, end))
    return losses.length === 0 ? [] : [[index, losses]]
  })
}

/** Where the elements of an array are in its bytes. */
function elementsOf(array: Buffer): { readonly start: number; readonly end: number }[] {
  const commas: number[] = []
  new ElementScanner().scan(array.subarray(1, -1), commas)
  return [0, ...commas.map((comma) => comma + 1)].map((start, index) => {
    return { start: start + 1, end: (commas[index] ?? array.length - 2) + 1 }
  })
}

function parse(text: string, array: Buffer, { firstElement, offset, hasLongNumber }: RunContext): unknown[] {
  const values = parsed(text, hasLongNumber ? parseExactJson : parseJson)
  if (Array.isArray(values)) return values
  const { index, at } = firstFailure(array)
  const what = 'an element that is not JSON'
  throw new DecodeError({ problem: 'invalid_json', what, element: firstElement + index, byte: offset + at })
}

/** @returns `undefined` if the text is not JSON: the message of V8 would quote it */
function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The first element that cannot be parsed by itself; `at` is its distance from the opening bracket. */
function firstFailure(array: Buffer): { readonly index: number; readonly at: number } {
  const elements = elementsOf(array)
  const failed = elements.findIndex(({ start, end }) => {
    return parsed(array.toString('utf8', start, end), parseJson) === undefined
  })
  const index = Math.max(0, failed)
  return { index, at: (elements[index]?.start ?? 1) - 1 }
}

function damageOf(array: Buffer): ReadonlyMap<number, readonly FieldIssue[]> {
  // Read as Latin-1, every byte is one character, so that the bytes of each string can be looked at.
  const values = parseJson(array.toString('latin1'))
  const damage = new Map<number, readonly FieldIssue[]>()
  if (!Array.isArray(values)) return damage
  for (const [index, value] of values.entries()) {
    const losses = damagedStrings(value)
    if (losses.length > 0) damage.set(index, losses)
  }
  return damage
}

/**
 * Finds the strings that are not UTF-8 in a value that was decoded as Latin-1. The original of such a loss has one
 * character (U+0000 to U+00FF) for each byte, so that the bytes can be recovered.
 */
export function damagedStrings(value: unknown, path = ''): FieldIssue[] {
  if (typeof value === 'string') return isDamaged(value) ? [fieldIssue(path, 'invalid_utf8', value)] : []
  if (Array.isArray(value)) return value.flatMap((item, index) => damagedStrings(item, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [
    ...(isDamaged(name) ? [fieldIssue(path, 'invalid_utf8', name)] : []),
    ...damagedStrings(item, path === '' ? asUtf8(name) : `${path}.${asUtf8(name)}`),
  ])
}

function isDamaged(latin1: string): boolean {
  return !isUtf8(bytesOf(latin1))
}

function asUtf8(latin1: string): string {
  return bytesOf(latin1).toString()
}

function bytesOf(latin1: string): Buffer {
  // Characters beyond Latin-1 can only come from escapes such as \u4e2d, not from bytes.
  return Buffer.from(latin1.replaceAll(/[^\0-\xff]/g, '?'), 'latin1')
}
