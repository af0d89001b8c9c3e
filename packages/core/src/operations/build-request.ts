import type { Operation, Parameter } from '@collab-etl/contract'
import { ParameterError } from '../errors/collab-error.ts'
import type { ServiceRequest } from '../http/request.ts'
import type { Call, Piece, Service } from '../http/service.ts'
import type { CallOptions } from './results.ts'

export interface MethodContext {
  readonly service: Service
  /** Retries of calls of an operation; `undefined`: those of the client. */
  readonly retriesOf: (operation: string) => number | undefined
  /** Encoding of request bodies. */
  readonly encoding: 'json' | 'form'
}

/** A call of an operation; `own`: the properties that its kind of method adds. */
export function callOf<T>(
  operation: Operation,
  { service, retriesOf, encoding }: MethodContext,
  params: AnyParams = {},
  { account, signal, stats, retriesFor = () => retriesOf(operation.id) }: CallOptions = {},
  own: Pick<Call<T>, 'read' | 'onRetry' | 'stats'>,
): AsyncGenerator<Piece<T>> {
  const request = buildRequest(operation, params, encoding)
  const counters = [...(stats === undefined ? [] : [stats]), ...(own.stats ?? [])]
  const pid = params['pid'] === undefined ? undefined : String(params['pid'])
  return service.call({ ...own, operation, request, pid, account, signal, retriesFor, stats: counters })
}

export type AnyParams = Readonly<Record<string, unknown>>

/**
 * Makes the request of an operation (docs/dev/service-api.md#requests): ids in the path, the other parameters in query or body.
 * A parameter must be given or left out: a caller that passes `undefined` or `null` meant to give it, and without it the
 * request would mean something else (`pid` decides whether a webhook belongs to a project or to the caller). The same holds for
 * an empty parameter in the address. Body fields may be empty: the service has its own error codes for that.
 * @throws ParameterError for a parameter that is missing, unknown, `undefined`, `null`, empty in the address, or cannot be sent
 */
export function buildRequest(operation: Operation, params: AnyParams, encoding: 'json' | 'form'): ServiceRequest {
  const unknown = Object.keys(params).find((name) => !Object.hasOwn(operation.params, name))
  if (unknown !== undefined) throw new ParameterError(operation.id, unknown, 'does not exist')
  const given = Object.entries(operation.params).flatMap(([name, parameter]) => {
    if (Object.hasOwn(params, name))
      return [{ name, parameter, value: givenValue(operation, name, parameter, params[name]) }]
    if (parameter.required) throw new ParameterError(operation.id, name, 'is required')
    return []
  })
  const of = (where: Parameter['in']) => given.filter(({ parameter }) => parameter.in === where)
  let path: string = operation.path
  for (const { name, value } of of('path')) path = path.replace(`:${name}`, () => segment(operation, name, value))
  return {
    method: operation.method,
    path,
    query: of('query').map(({ name, value }) => [name, text(operation, name, value)] as const),
    body: hasBody(operation) ? body(operation, of('body'), encoding) : undefined,
  }
}

function hasBody({ method, params }: Operation): boolean {
  return method === 'POST' || Object.values(params).some((parameter) => parameter.in === 'body')
}

function givenValue(operation: Operation, name: string, parameter: Parameter, value: unknown): unknown {
  if (value === undefined || value === null) {
    const advice = parameter.required ? 'it is required' : 'leave it out, or give it a value'
    throw new ParameterError(operation.id, name, `is ${String(value)}: ${advice}`)
  }
  if (value === '' && parameter.in !== 'body') throw new ParameterError(operation.id, name, 'is empty')
  return value
}

function segment(operation: Operation, name: string, value: unknown): string {
  const id = text(operation, name, value)
  // A proxy would resolve `.` and `..` as steps in the path.
  if (id === '.' || id === '..') throw new ParameterError(operation.id, name, `is not a valid id: ${id}`)
  return encodeURIComponent(id)
}

function text(operation: Operation, name: string, value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') throw new ParameterError(operation.id, name, 'must be a text or a number')
  if (!value.isWellFormed()) throw new ParameterError(operation.id, name, 'contains a lone surrogate')
  return value
}

function body(
  operation: Operation,
  fields: readonly { readonly name: string; readonly value: unknown }[],
  encoding: 'json' | 'form',
): NonNullable<ServiceRequest['body']> {
  const pairs = fields.map(({ name, value }) => {
    return [
      name,
      Array.isArray(value) ? value.map((item) => text(operation, name, item)) : text(operation, name, value),
    ] as const
  })
  if (encoding === 'json') {
    return { contentType: 'application/json', text: JSON.stringify(Object.fromEntries(pairs)) }
  }
  // A list is sent as its name repeated, as browsers do.
  const form = new URLSearchParams()
  for (const [name, value] of pairs) for (const item of [value].flat()) form.append(name, item)
  return { contentType: 'application/x-www-form-urlencoded', text: form.toString() }
}
