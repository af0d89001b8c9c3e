import Type, { type TSchema } from 'typebox'

const in_ =
  <const Where extends 'path' | 'query' | 'body'>(where: Where) =>
  <S extends TSchema>(schema: S) =>
    ({ in: where, required: true, schema }) as const

export const path = (description: string) => in_('path')(Type.String({ description }))
export const query = in_('query')
export const body = in_('body')

export const optional = <P extends { readonly in: string; readonly schema: TSchema }>(parameter: P) =>
  ({ ...parameter, required: false }) as Omit<P, 'required'> & { readonly required: false }

export const pid = query(Type.String({ description: 'project id' }))

/** A text that must not be empty. */
export const filled = (description: string) => Type.String({ description, minLength: 1 })

/** A 13-digit millisecond timestamp (docs/service-api.md#ranges-of-time). */
export const millis = (description: string) =>
  Type.Integer({ description, minimum: 1_000_000_000_000, maximum: 9_999_999_999_999 })
