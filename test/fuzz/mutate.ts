import type { Random } from './random.ts'

/** Limit for inputs, in bytes; only deliberate expansions are longer. */
const LONGEST = 4 * 1024
const BLOWN_UP = 100 * 1024

/** Bytes with a meaning for parsers, or invalid UTF-8. */
const TELLING = Buffer.from(
  '00090a0d2022275b5c5d7b7d2c3a2d2b2e2326262a21253c3e3f40603065457f80bfc0c3e0edeff0f4f5fffe',
  'hex',
)

type Mutation = (input: Buffer, random: Random, corpus: readonly Buffer[]) => Buffer

const MUTATIONS: readonly Mutation[] = [
  // a bit, a byte, a special byte
  (input, random) => replaced(input, random.below(input.length), (byte) => byte ^ (1 << random.below(8))),
  (input, random) => replaced(input, random.below(input.length), () => random.below(256)),
  (input, random) => replaced(input, random.below(input.length), () => random.oneOf([...TELLING])),
  (input, random) => inserted(input, random.below(input.length + 1), Buffer.of(random.oneOf([...TELLING]))),
  // removed, truncated, repeated, moved
  (input, random) => {
    const [from, to] = span(input, random)
    return Buffer.concat([input.subarray(0, from), input.subarray(to)])
  },
  (input, random) => input.subarray(0, random.below(input.length + 1)),
  (input, random) => inserted(input, random.below(input.length + 1), piece(input, random)),
  // part of another input, or its end after the beginning of this one
  (input, random, corpus) => inserted(input, random.below(input.length + 1), piece(random.oneOf(corpus), random)),
  (input, random, corpus) => {
    const other = random.oneOf(corpus)
    return Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length)),
    ])
  },
]

/** The input with one to four mutations. */
export function mutated(input: Buffer, random: Random, corpus: readonly Buffer[]): Buffer {
  let result = input
  for (let times = 1 + random.below(4); times > 0; times--) result = random.oneOf(MUTATIONS)(result, random, corpus)
  if (random.below(200) === 0) return blownUp(result, random)
  return result.subarray(0, LONGEST)
}

/** Repeats part of the input beyond any buffer or sensible nesting. */
function blownUp(input: Buffer, random: Random): Buffer {
  const part = piece(input, random).subarray(0, 1 + random.below(20))
  return inserted(
    input,
    random.below(input.length + 1),
    Buffer.alloc(1 + random.below(BLOWN_UP), part.length ? part : ' '),
  )
}

function replaced(input: Buffer, at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(input)
  const byte = copy[at]
  if (byte !== undefined) copy[at] = change(byte)
  return copy
}

function inserted(input: Buffer, at: number, what: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), what, input.subarray(at)])
}

function piece(input: Buffer, random: Random): Buffer {
  return input.subarray(...span(input, random))
}

function span(input: Buffer, random: Random): [from: number, to: number] {
  const from = random.below(input.length)
  return [from, from + 1 + random.below(Math.min(40, input.length - from))]
}
