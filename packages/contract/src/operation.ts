import type { Static, TSchema } from 'typebox'
import type { ErrorRow } from './errors.ts'
import type { Received, Resource } from './resource.ts'
import { Type } from './schema.ts'

/** One parameter of an operation. */
export interface Parameter {
  /** Part of the request that carries it (docs/dev/service-api.md#requests). */
  readonly in: 'path' | 'query' | 'body'
  readonly required: boolean
  readonly schema: TSchema
}

/** Content of a successful answer (HTTP 200). */
export type SuccessShape =
  | { readonly kind: 'array'; readonly item: Resource }
  | { readonly kind: 'object'; readonly schema: Resource }

/** An operation of the service, as data. */
export interface Operation {
  /** Dotted: the path to the client's method, e.g. `tasks.archived.list`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path template with `:name` for path parameters; also the `request` of its error bodies. */
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly params: Readonly<Record<string, Parameter>>
  readonly success: SuccessShape
  /** Its own error codes, in addition to the common ones. */
  readonly errors: readonly ErrorRow[]
}

type Params<O extends Operation> = O['params']
type RequiredName<P> = { [N in keyof P]: P[N] extends { required: true } ? N : never }[keyof P]

/** The arguments of an operation. An optional one may be left out, but must not be `undefined`: the caller may have meant to give it. */
export type OperationParams<O extends Operation> = {
  [N in RequiredName<Params<O>>]: Static<Params<O>[N]['schema']>
} & {
  [N in Exclude<keyof Params<O>, RequiredName<Params<O>>>]?: Static<Params<O>[N]['schema']>
}

/** One record of an operation's answer: an element if the answer is an array. */
export type OperationRecord<O extends Operation> = O['success'] extends { kind: 'array'; item: infer R }
  ? Received<R>
  : O['success'] extends { kind: 'object'; schema: infer R }
    ? Received<R>
    : never

/** An operation that answers with an array. */
export type ArrayOperation = Operation & { readonly success: { readonly kind: 'array' } }
/** An operation that answers with one object. */
export type ObjectOperation = Operation & { readonly success: { readonly kind: 'object' } }

/** Declares an operation that the service documents, by its number in docs/dev/service-api.md, and keeps its literal types. */
export function operation<
  const Id extends string,
  const M extends Operation['method'],
  const P extends Operation['path'],
  const O extends Omit<Operation, 'id' | 'method' | 'path'>,
>(id: Id, number: number, method: M, path: P, rest: O) {
  return { id, number, method, path, ...rest }
}

export const error = (code: number, status: number, meaning: string): ErrorRow => ({ code, status, meaning })

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

/** A 13-digit millisecond timestamp (docs/dev/service-api.md#ranges-of-time). */
export const millis = (description: string) =>
  Type.Integer({ description, minimum: 1_000_000_000_000, maximum: 9_999_999_999_999 })
