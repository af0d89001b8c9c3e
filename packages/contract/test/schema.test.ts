import Typebox, { type TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { Type } from '../src/schema.ts'

type Builders = Pick<typeof Typebox, keyof typeof Type>

const CASES: Readonly<Record<string, (type: Builders) => TSchema>> = {
  'an array': (type) => type.Array(type.String(), { description: 'texts' }),
  'a boolean': (type) => type.Boolean({ description: 'yes or no' }),
  'an integer': (type) => type.Integer({ minimum: 1 }),
  'a literal number': (type) => type.Literal(1, { description: 'one' }),
  'a literal text': (type) => type.Literal('one'),
  'a number': (type) => type.Number({ meaning: 'position' }),
  'an object': (type) => type.Object({ a: type.String(), b: type.Optional(type.Number()) }, { title: 'A' }),
  'an object without required fields': (type) => type.Object({ b: type.Optional(type.Number()) }),
  'an optional object': (type) => type.Optional(Object.assign(type.Object({ a: type.String() }), { key: ['a'] })),
  'a string': (type) => type.String({ minLength: 1 }),
  anything: (type) => type.Unknown({ description: 'x' }),
  'a type of its own': (type) => type.Unsafe<'a'>(type.String()),
  'a union': (type) => type.Union([type.Literal('a'), type.Literal(2)], { meaning: 'flag' }),
}

test.each(Object.entries(CASES))('%s is what TypeBox makes', (_name, build) => {
  expect(allProperties(build(Type))).toEqual(allProperties(build(Typebox)))
})

/** The properties at every level with whether they are enumerable: those that are not tell TypeBox what a schema is. */
function allProperties(value: unknown): unknown {
  if (!(value instanceof Object)) return value
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value))
  return properties.map(([name, { value: inner, ...attributes }]) => [name, attributes, allProperties(inner)])
}
