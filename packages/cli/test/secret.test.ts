import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Secret } from '../src/index.ts'

test('a secret is shown by nothing but reveal', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), (value) => {
      fc.pre(!'Secret {} [secret] {"a":"[secret]"} [object Object]'.includes(value))
      const secret = new Secret(value)
      const shown = [
        `${secret}`,
        String(secret),
        JSON.stringify({ a: secret }),
        inspect(secret, { showHidden: true, depth: 9 }),
        inspect({ deep: [secret] }),
        Object.entries(secret).join(),
        inspect(new Error('x', { cause: secret })),
      ]
      for (const text of shown) expect(text).not.toContain(value)
      expect(secret.reveal()).toBe(value)
      expect(structuredClone({ ...secret })).toEqual({})
    }),
  )
})

test('it is taken out of what others wrote, encoded or not', () => {
  const secret = new Secret('abc/def+ghi')
  expect(secret.scrub('a abc/def+ghi b abc%2Fdef%2Bghi c')).toBe('a [secret] b [secret] c')
})

test('one with half a surrogate pair, which cannot be encoded, is taken out all the same', () => {
  expect(new Secret('abcdefgh\ud800').scrub('a abcdefgh\ud800 b')).toBe('a [secret] b')
})

test('a secret that is too short to be distinguished from words stays', () => {
  expect(new Secret('test').scrub('a test')).toBe('a test')
  expect(
    new Secret('postgres://postgres:postgres@a/b', 'postgres://postgres:***@a/b', ['postgres']).scrub('postgres'),
  ).toBe('postgres')
})
