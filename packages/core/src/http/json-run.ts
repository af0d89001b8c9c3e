import { isUtf8 } from 'node:buffer'
import { DecodeError } from '../errors/decode-error.ts'
import type { FieldLoss } from '../read/field-loss.ts'
import { ElementScanner } from './element-scanner.ts'
import { damagedStrings } from './utf8-damage.ts'

/** Consecutive elements of an array, decoded. */
export interface Run {
  /** Values as `JSON.parse` makes them. */
  readonly values: unknown[]
  /** Index of the first of them in the array. */
  readonly firstElement: number
  /** Losses of elements whose bytes were no UTF-8, by their place in `values`. */
  readonly damage: ReadonlyMap<number, readonly FieldLoss[]>
}

const UNDAMAGED: ReadonlyMap<number, readonly FieldLoss[]> = new Map()

/**
 * Parses elements that stand in brackets.
 * @param array the bytes, brackets included
 * @param firstElement index of the first element in the answer's array
 * @param offset where the first byte behind the opening bracket stood in the answer
 * @throws DecodeError that says which element, and where in the answer
 */
export function parseRun(array: Buffer, firstElement: number, offset: number): Run {
  const text = array.toString()
  const values = parse(text, array, firstElement, offset)
  return { values, firstElement, damage: isUtf8(array) ? UNDAMAGED : damageOf(array) }
}

function parse(text: string, array: Buffer, firstElement: number, offset: number): unknown[] {
  try {
    const values: unknown = JSON.parse(text)
    if (Array.isArray(values)) return values
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const byte = Buffer.byteLength(text.slice(0, failedAt(error, text)))
    const element = firstElement + new ElementScanner().scan(array.subarray(1, byte)).commas
    const what = byte >= array.length - 1 ? 'an element that is no whole JSON value' : 'an element that is no JSON'
    throw new DecodeError({ problem: 'invalid_json', what, element, byte: offset + byte - 1 })
  }
  throw new TypeError('an array was parsed, and none came out')
}

/** V8 says where, but quotes the text as well: so its message is not passed on. */
function failedAt(error: SyntaxError, text: string): number {
  const position = /position (\d+)/.exec(error.message)?.[1]
  return position === undefined ? text.length - 1 : Number(position)
}

function damageOf(array: Buffer): ReadonlyMap<number, readonly FieldLoss[]> {
  // Read as Latin-1, every byte is one character, so that the bytes of each string can be looked at.
  const values: unknown = JSON.parse(array.toString('latin1'))
  const damage = new Map<number, readonly FieldLoss[]>()
  if (!Array.isArray(values)) return damage
  for (const [index, value] of values.entries()) {
    const losses = damagedStrings(value)
    if (losses.length > 0) damage.set(index, losses)
  }
  return damage
}
