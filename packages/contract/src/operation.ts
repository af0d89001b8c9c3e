import type { Static, TSchema } from 'typebox'
import type { ErrorRow } from './errors.ts'
import type { Received, Resource } from './resource.ts'

/** One parameter of an operation. */
export interface Parameter {
  /** Where it travels (API page, part 4, general rules). */
  readonly in: 'path' | 'query' | 'body'
  readonly required: boolean
  readonly schema: TSchema
}

/** What a successful answer (HTTP 200) holds. */
export type SuccessShape =
  | { readonly kind: 'array'; readonly item: Resource }
  | { readonly kind: 'object'; readonly schema: Resource }

/** One of the service's operations, as data (API page, part 4). */
export interface Operation {
  /** Dotted: the path to the client's method, e.g. `tasks.archived.list`. */
  readonly id: string
  /** Its number on the API page. */
  readonly number: number
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path template with `:name` for path parameters; also the `request` of its error bodies. */
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly params: Readonly<Record<string, Parameter>>
  readonly success: SuccessShape
  /** Its own error codes; the common ones come on top. */
  readonly errors: readonly ErrorRow[]
}

type Params<O extends Operation> = O['params']
type RequiredName<P> = { [N in keyof P]: P[N] extends { required: true } ? N : never }[keyof P]

/** The arguments that an operation takes. What may be left out must not be `undefined`: that may have been meant to be given. */
export type OperationParams<O extends Operation> = {
  [N in RequiredName<Params<O>>]: Static<Params<O>[N]['schema']>
} & {
  [N in Exclude<keyof Params<O>, RequiredName<Params<O>>>]?: Static<Params<O>[N]['schema']>
}

/** One record of an operation's answer: an element where the answer is an array. */
export type OperationRecord<O extends Operation> = O['success'] extends { kind: 'array'; item: infer R }
  ? Received<R>
  : O['success'] extends { kind: 'object'; schema: infer R }
    ? Received<R>
    : never

/** Operations that answer with an array, or with one object. */
export type ArrayOperation = Operation & { readonly success: { readonly kind: 'array' } }
export type ObjectOperation = Operation & { readonly success: { readonly kind: 'object' } }

/** Keeps an operation's literal types. */
export function operation<const O extends Operation>(definition: O): O {
  return definition
}
