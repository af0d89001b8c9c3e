import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactNumber, holdsExactNumber, isExactNumber, parseExactJson, plainDecimal } from '../src/exact-json.ts'

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`))

const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,24}$/)),
    fc.oneof(
      fc.constant(''),
      digits(24).map((some) => `.${some}`),
    ),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/)),
  )
  .map((parts) => parts.join(''))

/** The number as a fraction of two integers. */
function fractionOf(text: string): { sign: string; over: bigint; under: bigint } {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split(/e/i)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = Number(exponent) - fraction.length
  const [over, under] = [BigInt(whole + fraction), 10n ** BigInt(Math.abs(shift))]
  const sign = text.startsWith('-') ? '-' : ''
  return shift < 0 ? { sign, over, under } : { sign, over: over * under, under: 1n }
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [fractionOf(a), fractionOf(b)]
  return first.sign === second.sign && first.over * second.under === second.over * first.under
}

describe('numbers that a double cannot hold', () => {
  test.each([
    ...['12345678901234567890', '9007199254740993', '-9007199254740993', '0.1000000000000000055', '1e400', '-1E+400'],
    ...['1e-400', '-0', '-0.0', '-0e5', '12345678901234567.5'],
  ])('%s is kept as it was written', (text) => {
    for (const wrap of ['#', ' # ', '[#]', '{"a":#}', '{"\\\\":[1,#,"#"]}', '[{"__proto__":#}]']) {
      const value = parseExactJson(wrap.replace('#', text))
      expect(JSON.stringify(value)).toBe(wrap.replaceAll(' ', '').replace('#', text))
      expect(holdsExactNumber(value)).toBe(true)
    }
  })

  test.each([
    ...['1.0', '1', '0', '1e2', '9007199254740992', '0.1', '1.10', '0e999', '1e23', '1.7976931348623157e308', '-0.5'],
  ])('%s is a plain number', (text) => {
    expect(parseExactJson(text)).toBe(Number(text))
  })

  test('strings, names and dates that look like such numbers stay as they are', () => {
    const text =
      '{"12345678901234567890":"-0, 1e400","at":"2024-01-01T00:00:00.000Z","a\\"":"\\\\","b":"\\"9007199254740993"}'
    expect(JSON.stringify(parseExactJson(text))).toBe(text)
  })

  test('text that is not JSON is refused, as by JSON.parse', () => {
    for (const text of [
      ...['{1e400:1}', '01e400', '1e400 1e400', '[1e400', '-', '1e400.', '{"a":1e400,}', '"1e400', '--0'],
    ]) {
      expect(() => JSON.parse(text)).toThrow(SyntaxError)
      expect(() => parseExactJson(text), text).toThrow(SyntaxError)
    }
  })

  test('they are found deeper than calls could go', () => {
    const depth = 100_000
    let value = parseExactJson(`${'{"a":'.repeat(depth)}1e400${'}'.repeat(depth)}`) as { a: unknown }
    for (let at = 1; at < depth; at++) value = value.a as typeof value
    expect(value).toEqual({ a: exactNumber('1e400') })
  })
})

test('any number that is read has the value that was written', () => {
  fc.assert(
    fc.property(numberText, (text) => {
      const [value] = parseExactJson(`[${text}]`) as [unknown]
      if (isExactNumber(value)) expect(value.rawJSON).toBe(text)
      else expect(isSame(String(value), text), `${text} was read as ${value}`).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('a number without its exponent is the same number', () => {
  fc.assert(
    fc.property(numberText, (text) => {
      const plain = plainDecimal(text)
      fc.pre(plain !== null)
      expect(plain).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/)
      expect(isSame(plain ?? '', text), `${text} became ${plain}`).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('a number that would be far longer than it was sent is not written out', () => {
  expect(plainDecimal('1e999')).toHaveLength(1000)
  for (const text of ['1e1000', '1e-1001', '1e131072', '1e99999999999999999999', '-1E-99999']) {
    expect(plainDecimal(text)).toBeNull()
  }
  const long = '9'.repeat(131_072)
  expect(plainDecimal(long)).toBe(long)
  expect(plainDecimal(`${long}9`)).toBeNull()
  expect(plainDecimal(`0.${'1'.repeat(16_384)}`)).toBeNull()
})
