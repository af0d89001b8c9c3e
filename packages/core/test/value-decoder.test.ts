import { parseJson } from '@collab-etl/contract/parse-json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ValueDecoder } from '../src/http/value-decoder.ts'
import { isDecodeError } from '../src/index.ts'

function decode(bytes: Uint8Array | string) {
  const decoder = new ValueDecoder()
  for (const byte of Buffer.from(bytes)) decoder.push(Buffer.of(byte))
  return decoder.end()
}

test('any JSON value is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(decode(text).value).toEqual(parseJson(text))
    }),
  )
})

test('names that V8 takes for others, once it has met them, are those that were sent', () => {
  for (const name of ['\\', '\n', '"']) {
    const sent = { known: 0, [name]: 1 }
    expect(decode(JSON.stringify(sent)).value).toEqual(sent)
  }
})

test('a byte order mark and space around it are no part of the value', () => {
  expect(decode('\ufeff \n{"a":1}\r\n').value).toEqual({ a: 1 })
})

test('bytes that are no UTF-8 are a loss', () => {
  const { value, damage } = decode(Buffer.concat([Buffer.from('{"name":"'), Buffer.of(0x80), Buffer.from('"}')]))
  expect(value).toEqual({ name: '\ufffd' })
  expect(damage).toEqual([{ field: 'name', kind: 'invalid_utf8', original: '"\u0080"' }])
})

describe('what is not one whole value', () => {
  test.for([
    ['', 'empty'],
    [' ', 'empty'],
    ['{"a":', 'truncated'],
    ['{"a":1', 'truncated'],
    ['"abc', 'truncated'],
    ['{"a":tru', 'truncated'],
    ['{}{}', 'invalid_json'],
    ['1,2', 'invalid_json'],
    ['1],[2', 'invalid_json'],
    ['<!doctype html>', 'invalid_json'],
    ['nope', 'invalid_json'],
    ['['.repeat(1001), 'too_large'],
  ] as const)('%j is %s', ([text, problem]) => {
    let error: unknown
    try {
      decode(text)
    } catch (thrown) {
      error = thrown
    }
    expect(isDecodeError(error, problem), String(error)).toBe(true)
  })

  test('the message holds nothing of the body', () => {
    expect(() => decode('{"secret": secret-text}')).toThrow(expect.not.stringContaining('secret-text'))
  })
})
