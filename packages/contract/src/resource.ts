import type { Static, TArray, TObject, TOptional, TProperties, TSchema } from 'typebox'
import { Type } from './schema.ts'

/** A resource of the service: an object schema that names the fields that identify a record. */
export interface Resource<Fields extends TProperties = TProperties, Key extends string = string> extends TSchema {
  readonly title: string
  readonly key: readonly Key[]
  readonly properties: Fields
}

/** Defines a resource by its title, the fields of its key, and all its fields. */
export function resource<Fields extends TProperties, const Key extends Extract<keyof Fields, string>>(
  title: string,
  key: readonly Key[],
  fields: Fields,
): TObject<Fields> & Resource<Fields, Key> {
  return Object.assign(Type.Object(fields, { title }), { title, key })
}

/** Whether a schema is a resource. */
export function isResource(schema: TSchema): schema is Resource {
  return 'key' in schema && Array.isArray(schema.key)
}

/**
 * A record as a client receives it. Fields of the key are always present. Any other field is `null` if the service left it
 * out or sent an unreadable value; lists are then empty. Fields that the schema does not have are in `extra`.
 */
export type Received<R> = R extends Resource<infer Fields, infer Key> ? ReceivedFields<Fields, Key> & Extra : never

type Extra = { extra?: Record<string, unknown> }

type OptionalName<Fields> = {
  [N in keyof Fields]: Fields[N] extends TOptional<TSchema> ? N : never
}[keyof Fields]

type ReceivedFields<Fields extends TProperties, Key extends string> = {
  [N in Exclude<keyof Fields, OptionalName<Fields>>]: N extends Key ? Static<Fields[N]> : ReceivedValue<Fields[N]>
} & {
  [N in OptionalName<Fields>]?: ReceivedValue<Fields[N]>
}

type ReceivedValue<S extends TSchema> =
  S extends Resource<infer Fields, infer Key>
    ? (ReceivedFields<Fields, Key> & Extra) | null
    : S extends TArray<infer Item>
      ? ReceivedItem<Item>[]
      : Static<S> | null

type ReceivedItem<S extends TSchema> =
  S extends Resource<infer Fields, infer Key> ? ReceivedFields<Fields, Key> & Extra : Static<S>

/** Meaning of a field's text or number; readers and tables use it rather than the field's name. */
export type Meaning = 'id' | 'text' | 'timestamp' | 'flag' | 'enum' | 'count' | 'position' | 'size'

/** An identifier: a string. An empty one means "none" (docs/dev/service-api.md#values). */
export const id = (description: string) => Type.String({ description, meaning: 'id' })

export const text = (description: string) => Type.String({ description, meaning: 'text' })

/** ISO 8601 in UTC with milliseconds, as text (docs/dev/service-api.md#values). */
export const timestamp = (description: string) => Type.String({ description, meaning: 'timestamp' })

/** 0 or 1 (docs/dev/service-api.md#values). */
export const flag = (description: string) =>
  Type.Union([Type.Literal(0), Type.Literal(1)], { description, meaning: 'flag' })

/** One of a few small numbers. Undocumented values are accepted: the service may add some. */
export const enumeration = (description: string, values: Readonly<Record<number, string>>) =>
  Type.Integer({
    description: `${description}: ${Object.entries(values)
      .map(([value, name]) => `${value} = ${name}`)
      .join(', ')}`,
    minimum: -32768,
    maximum: 32767,
    meaning: 'enum',
  })

/** A count. */
export const count = (description: string) =>
  Type.Integer({ description, minimum: -2147483648, maximum: 2147483647, meaning: 'count' })

/** A position in an order; may be fractional. */
export const position = (description: string) => Type.Number({ description, meaning: 'position' })

/** A number of bytes, as text. */
export const size = (description: string) => Type.String({ description, meaning: 'size' })
