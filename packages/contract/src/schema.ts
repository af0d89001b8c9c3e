import type Typebox from 'typebox'
import type { TArray, TLiteral, TOptional, TUnion } from 'typebox'

type Name = 'Array' | 'Boolean' | 'Integer' | 'Literal' | 'Number' | 'Object' | 'Optional' | 'String' | 'Union'

/**
 * The builders of TypeBox that the contract needs: the same schemas and types. TypeBox itself is 370 modules, and loading them takes half
 * of the time in which a program must start.
 */
export const Type: Pick<typeof Typebox, Name> = {
  Array: (items, options) => schema('Array', { type: 'array', items }, options),
  Boolean: (options) => schema('Boolean', { type: 'boolean' }, options),
  Integer: (options) => schema('Integer', { type: 'integer' }, options),
  Literal: (value, options) => schema('Literal', { type: typeof value, const: value }, options),
  Number: (options) => schema('Number', { type: 'number' }, options),
  Object(properties, options) {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name]))
    return schema('Object', { type: 'object', ...(required.length > 0 && { required }), properties }, options)
  },
  Optional(type) {
    const fields = Object.getOwnPropertyDescriptors(type)
    return Object.defineProperties({}, { ...fields, ...hidden('~optional', true) }) as never // a copy of the type that says so
  },
  String: (options) => schema('String', { type: 'string' }, options),
  Union: (anyOf, options) => schema('Union', { anyOf }, options),
}

export function isArray(value: unknown): value is TArray {
  return kindOf(value) === 'Array'
}

export function isLiteral(value: unknown): value is TLiteral {
  return kindOf(value) === 'Literal'
}

export function isUnion(value: unknown): value is TUnion {
  return kindOf(value) === 'Union'
}

export function isOptional(value: unknown): value is TOptional {
  return value instanceof Object && '~optional' in value
}

function schema<S>(kind: string, fields: object, options: object = {}): S {
  return Object.defineProperties({ ...fields, ...options }, hidden('~kind', kind)) as S // the fields that TypeBox gives this kind
}

/** A property that is not part of the JSON schema. */
function hidden(name: string, value: unknown): PropertyDescriptorMap {
  return { [name]: { value, configurable: true, writable: true } }
}

function kindOf(value: unknown): unknown {
  return value instanceof Object && '~kind' in value ? value['~kind'] : undefined
}
