import { hash } from 'node:crypto'
import type { KnownRecords } from '@collab-etl/contract/streams'
import type { ElementBytes } from '../read/unchanged.ts'
import { ElementScanner } from './element-scanner.ts'
import { parseRun, type Run, type RunContext } from './json-run.ts'

const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const SPACE = 0x20

/** Recognises elements of an answer by their bytes. */
export interface ElementLookup {
  readonly stored: KnownRecords
  /** Creates the placeholder of an element that is stored under a number. `bytes` is valid until the next run. */
  readonly placeholder: (number: number, bytes: Buffer, at: ElementBytes) => unknown
}

/** Like `parseRun`, but does not parse stored elements. @param commas offsets of the commas between elements in `array` */
export function parseUnstored(
  array: Buffer,
  commas: readonly number[],
  context: RunContext,
  { stored, placeholder }: ElementLookup,
): Run {
  const elements: ElementBytes[] = []
  const numbers: number[] = []
  let found = 0
  for (let index = 0; index <= commas.length; index++) {
    const at = elementAt(array, (commas[index - 1] ?? 0) + 1, commas[index] ?? array.length - 1)
    const number = at.start === at.end ? -1 : stored.find(at.hash)
    if (number >= 0) found += 1
    elements.push(at)
    numbers.push(number)
  }
  if (found === 0) return { ...parseRun(array, context), elements, bytes: array }
  const values: unknown[] = []
  const damage = new Map<number, NonNullable<ReturnType<Run['damage']['get']>>>()
  const tooDeep = new Set<number>()
  for (let index = 0; index < elements.length; ) {
    const number = numbers[index] ?? -1
    const at = elements[index]
    if (number >= 0 && at !== undefined) {
      values.push(placeholder(number, array, at))
      index += 1
      continue
    }
    let end = index + 1
    while (end < numbers.length && (numbers[end] ?? 0) < 0) end += 1
    const run = parseStretch(array, [commas[index - 1] ?? 0, commas[end - 1] ?? array.length - 1], {
      ...context,
      firstElement: context.firstElement + index,
    })
    // an element is empty: parsing the whole array reports where
    if (run.values.length !== end - index) return parseRun(array, context)
    for (const value of run.values) values.push(value)
    for (const [key, losses] of run.damage) damage.set(index + key, losses)
    for (const key of run.tooDeep) tooDeep.add(index + key)
    index = end
  }
  return { values, firstElement: context.firstElement, damage, tooDeep, elements, bytes: array }
}

/** An element without the white space around it. */
function elementAt(array: Buffer, from: number, to: number): ElementBytes {
  let [start, end] = [from, to]
  while (start < end && isSpace(array[start])) start += 1
  while (end > start && isSpace(array[end - 1])) end -= 1
  return { start, end, hash: hash('sha256', array.subarray(start, end), 'binary') }
}

function isSpace(byte = 0): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Parses the elements between two commas, which are replaced by brackets meanwhile. */
function parseStretch(array: Buffer, [from, to]: readonly [number, number], context: RunContext): Run {
  const [first = 0, last = 0] = [array[from], array[to]]
  array[from] = OPEN_ARRAY
  array[to] = CLOSE_ARRAY
  try {
    const stretch = array.subarray(from, to + 1)
    const { fields, fieldsAfter } = new ElementScanner().scan(stretch.subarray(1, -1))
    return parseRun(stretch, { ...context, offset: context.offset + from, fields: fields + fieldsAfter })
  } finally {
    array[from] = first
    array[to] = last
  }
}
