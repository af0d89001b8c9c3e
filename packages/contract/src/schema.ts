import type Typebox from 'typebox'
import type { TArray, TLiteral, TOptional, TUnion } from 'typebox'

type Name =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'

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
    return withHidden(type, '~optional', true) as never // TypeBox's own type of this
  },
  String: (options) => schema('String', { type: 'string' }, options),
  Union: (anyOf, options) => schema('Union', { anyOf }, options),
  Unknown: (options) => schema('Unknown', {}, options),
  Unsafe(type) {
    return withHidden(type, '~unsafe', null) as never // as above
  },
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
  return withHidden({ ...fields, ...options }, '~kind', kind) as S // the fields that TypeBox gives this kind
}

/** A copy with a property that is not part of the JSON schema. */
function withHidden(fields: object, name: string, value: unknown): object {
  const property = { value, configurable: true, writable: true }
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(fields), [name]: property })
}

function kindOf(value: unknown): unknown {
  return value instanceof Object && '~kind' in value ? value['~kind'] : undefined
}
