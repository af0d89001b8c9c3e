import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'

/** JSON as text, in every form that the same values may be written in: what `JSON.stringify` never writes is written here. */

const digits = fc.stringMatching(/^[0-9]{1,20}$/)

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,24}$/)),
    fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      digits.map((some) => `.${some}`),
    ),
    fc.oneof({ weight: 2, arbitrary: fc.constant('') }, fc.stringMatching(/^[eE][+-]?[0-9]{1,4}$/)),
  )
  .map((parts) => parts.join(''))

const unit = fc.oneof(
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }).filter((one) => !/["\\\p{Cc}]/u.test(one)),
  fc.constantFrom(
    ...['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', ',', ']', '}', '[', '{', ':', '中', '😀'],
  ),
  // halves of surrogate pairs and U+0000 among them
  fc.oneof(fc.stringMatching(/^\\u[0-9a-fA-F]{4}$/), fc.constantFrom('\\ud83d', '\\ude00', '\\u0000', '\\u0022')),
)

const text = fc.array(unit, { maxLength: 8 }).map((units) => `"${units.join('')}"`)

/** Few, so that some stand twice in one object. */
const key = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"constructor"', '"toString"', '"1"', '""'),
  text,
)

/** What may stand around anything: mostly nothing, at times more than is ever parsed at once. */
const space = fc.oneof(
  { weight: 40, arbitrary: fc.constant('') },
  { weight: 10, arbitrary: fc.stringMatching(/^[ \t\r\n]{1,4}$/) },
  { weight: 1, arbitrary: fc.integer({ min: 48 * 1024 - 20, max: 66 * 1024 }).map((length) => ' '.repeat(length)) },
)

function around(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(space, inner, space).map((parts) => parts.join(''))
}

const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: around(
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false', '0', '-0', '1e400', '{}', '[]', '""'),
      number,
      text,
      tie('list'),
      tie('object'),
    ),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(around(key), tie('value')), { maxLength: 5 })
    .map((fields) => `{${fields.map(([name, of]) => `${name}:${of}`).join(',')}}`),
}))

/** A value within brackets of both kinds, up to deeper than records may be. */
const deep = fc.tuple(value, fc.integer({ min: 1, max: 1100 })).map(([inner, depth]) => {
  const even = depth - (depth % 2)
  return `${'[{"a":'.repeat(even / 2)}${inner}${'}]'.repeat(even / 2)}`
})

const element = fc.oneof({ weight: 30, arbitrary: value }, { weight: 1, arbitrary: deep })

/** The text of a JSON list, with what may stand before and behind it. */
export const listText: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('', '', '\ufeff'), space, fc.array(element, { maxLength: 8 }), space)
  .map(([mark, before, items, behind]) => `${mark}${before}[${items.join(',')}]${behind}`)

/** The text of any JSON value. */
export const valueText: fc.Arbitrary<string> = element
