import { describe, expect, test } from 'vitest'
import { codeOf, redactor } from '../src/http/redact.ts'

const { text, cause } = redactor(() => ['se"cret/1'])
const withCode = (code: unknown, inner?: unknown) =>
  Object.assign(new Error('it failed', inner === undefined ? undefined : { cause: inner }), { code })

test('every spelling of the secret is removed from a text, at any position', () => {
  expect(text('se"cret/1, se%22cret%2F1; "se\\"cret/1" se"cret/1')).toBe('[token], [token]; "[token]" [token]')
})

describe('a copy of an error', () => {
  test('has its name, message, stack and code without the secret', () => {
    const error = withCode('E_se"cret/1')
    error.name = 'Of se"cret/1'
    error.message = 'sent se"cret/1'
    error.stack = 'at se"cret/1'
    expect(cause(error)).toMatchObject({
      name: 'Of [token]',
      message: 'sent [token]',
      stack: 'at [token]',
      code: 'E_[token]',
    })
  })

  test('says name and message where there is no stack', () => {
    const error = new RangeError('se"cret/1')
    delete error.stack
    expect(cause(error)).toMatchObject({ stack: 'RangeError: [token]' })
  })

  test('has no code and no cause where there is none', () => {
    const copy = cause(withCode(42))
    expect(copy).not.toHaveProperty('code')
    expect(copy).not.toHaveProperty('cause')
    expect(copy).not.toBeInstanceOf(AggregateError)
  })

  test('has the errors of each address that was tried', () => {
    const copy = cause(new AggregateError([withCode('A'), 'se"cret/1', null, 7], 'all of se"cret/1'))
    expect(copy).toBeInstanceOf(AggregateError)
    expect(copy).toMatchObject({ message: 'all of [token]', errors: [{ code: 'A' }, '[token]', null, '7'] })
  })

  test('of a single address has it as its cause', () => {
    const copy = cause(new AggregateError([withCode('A')]))
    expect(copy).not.toBeInstanceOf(AggregateError)
    expect(copy).toMatchObject({ cause: { code: 'A' } })
  })

  test('ends with the eighth cause of a cause', () => {
    let error = new Error('9')
    for (let number = 8; number >= 0; number--) error = new Error(String(number), { cause: error })
    const messages: string[] = []
    for (let copy = cause(error); copy instanceof Error; copy = copy.cause) messages.push(copy.message)
    expect(messages).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8'])
  })

  test('of nothing is nothing', () => {
    expect([cause(undefined), cause(null), cause('se"cret/1'), cause(0)]).toEqual([undefined, null, '[token]', '0'])
  })
})

describe('the code of an error', () => {
  const nested = (depth: number): Error =>
    depth === 0 ? withCode('DEEP') : new Error('', { cause: nested(depth - 1) })

  test('is its own, or else that of what it came of', () => {
    expect(codeOf(withCode('OWN', withCode('INNER')))).toBe('OWN')
    expect(codeOf(withCode(7, withCode('INNER')))).toBe('INNER')
    expect(codeOf(new AggregateError([new Error('none'), withCode('SECOND'), withCode('THIRD')]))).toBe('SECOND')
  })

  test('is looked for eight causes deep', () => {
    expect(codeOf(nested(8))).toBe('DEEP')
    expect(codeOf(nested(9))).toBeUndefined()
  })

  test.each([undefined, 'E', { code: 'E' }, new Error('none')])('%o has none', (error) => {
    expect(codeOf(error)).toBeUndefined()
  })
})
