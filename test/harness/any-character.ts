import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

/**
 * Any code point but half surrogate pairs: `fc.string({ unit: anyCharacter })`. The same as `unit: 'binary'`, which takes more than a second of
 * processor time in each worker, as it makes a map of all million code points.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  // fast-check includes texts such as `__proto__` only if it can turn them back into numbers
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined
    if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('not one character')
    return point < FIRST_SURROGATE ? point : point - SURROGATES
  },
)
