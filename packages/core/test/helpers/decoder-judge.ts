import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import { DecodeError, isDecodeError } from '../../src/index.ts'
import { ArrayDecoder } from '../../src/json/array-decoder.ts'
import type { Run } from '../../src/json/json-run.ts'
import { ValueDecoder } from '../../src/json/value-decoder.ts'

/** Records nested deeper than this are not read, though they are JSON. */
const DEEPEST = 1000

/** The runs that an array's bytes are decoded to. */
export function runsOf(chunks: readonly Uint8Array[]): Run[] {
  const decoder = new ArrayDecoder()
  const runs = chunks.flatMap((chunk) => [...decoder.push(chunk)])
  decoder.end()
  return runs
}

/** Bytes cut at some places, each taken modulo their number. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

/**
 * Compares the decoding of some bytes, as a list and as one value, with `parseExactJson` of the same bytes: the very same values,
 * or a `DecodeError` where they are no JSON, no list, or nested too deep. Returns how it ended.
 */
export function judgeDecoding(bytes: Uint8Array, places: readonly number[]): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(withoutMark(bytes))
  const parsed = parse(text)
  const chunks = cut(bytes, places)
  const list = attempt(() => valuesOf(runsOf(chunks), bytes))
  const one = attempt(() => {
    const decoder = new ValueDecoder()
    for (const chunk of chunks) decoder.push(chunk)
    return decoder.end().value
  })
  expectSame(list, Array.isArray(parsed.value) ? parsed : {}, text, 'a list')
  expectSame(one, parsed, text, 'one value')
  return [list, one].map(({ problem }) => problem ?? 'decoded').join(' ')
}

/** The outcome: a value, or how it failed. */
interface Outcome {
  readonly value?: unknown
  readonly problem?: string
}

function attempt(work: () => unknown): Outcome {
  try {
    return { value: work() }
  } catch (error) {
    if (!isDecodeError(error)) throw error
    return { problem: `${error.problem}: ${error.what}` }
  }
}

function parse(text: string): Outcome {
  try {
    return { value: parseExactJson(text) }
  } catch {
    return {}
  }
}

function expectSame(actual: Outcome, expected: Outcome, text: string, what: string): void {
  const is = 'value' in actual
  const shouldBe = 'value' in expected
  if (!is && !shouldBe) return
  if (is && shouldBe) {
    // deep equality does not look at the order of keys, JSON does not at -0 and 1e400
    if (!isDeepStrictEqual(actual.value, expected.value))
      throw new Error(`${what} has other values than JSON.parse gives`)
    if (depthOf(text) > DEEPEST) return
    if (JSON.stringify(actual.value) === JSON.stringify(expected.value)) return
    throw new Error(`${what} has its keys in another order than JSON.parse gives`)
  }
  if (is) throw new Error(`${what} was decoded from what JSON.parse refuses, or is none`)
  if (actual.problem?.startsWith('too_large') && depthOf(text) >= DEEPEST) return
  throw new Error(`${what} was refused, though it is JSON: ${actual.problem}`)
}

/** The values of all runs, which follow one another; damage is reported only for bytes that are not UTF-8. */
function valuesOf(runs: readonly Run[], bytes: Uint8Array): unknown[] {
  const values: unknown[] = []
  for (const run of runs) {
    if (run.firstElement !== values.length) throw new Error(`a run begins at ${run.firstElement}, not ${values.length}`)
    if (run.tooDeep.size > 0) throw new DecodeError({ problem: 'too_large', what: 'an element is nested too deep' })
    // fields that are there twice have a test of their own
    const isDamaged = [...run.damage.values()].flat().some(({ kind }) => kind !== 'repeated_field')
    if (isDamaged && isUtf8(bytes)) throw new Error('damage is reported for bytes that are UTF-8')
    for (const value of run.values) values.push(value)
  }
  return values
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

/** How deep a JSON text is nested. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (bracket === '[' || bracket === '{') deepest = Math.max(deepest, ++depth)
    if (bracket === ']' || bracket === '}') depth -= 1
  }
  return deepest
}
