import Type, { type Static, type TArray, type TObject, type TOptional, type TProperties, type TSchema } from 'typebox'

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
