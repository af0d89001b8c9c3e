import Type from 'typebox'

/** Meaning of a field's text or number; readers and tables use it rather than the field's name. */
export type Meaning = 'id' | 'text' | 'timestamp' | 'flag' | 'enum' | 'count' | 'position' | 'size'

/** An identifier: a string. An empty one means "none" (docs/service-api.md#values). */
export const id = (description: string) => Type.String({ description, meaning: 'id' })

export const text = (description: string) => Type.String({ description, meaning: 'text' })

/** ISO 8601 in UTC with milliseconds, as text (docs/service-api.md#values). */
export const timestamp = (description: string) => Type.String({ description, meaning: 'timestamp' })

/** 0 or 1 (docs/service-api.md#values). */
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
