import type { Operation } from '@collab-etl/contract'
import type { Call, Piece, Service } from '../http/service.ts'
import { type AnyParams, buildRequest } from './build-request.ts'
import type { CallOptions } from './results.ts'

/** Dependencies of the methods. */
export interface MethodContext {
  readonly service: Service
  /** Encoding of POST bodies. */
  readonly encoding: 'json' | 'form'
}

/** A call of an operation; `own`: the properties that its kind of method adds. */
export function callOf<T>(
  operation: Operation,
  { service, encoding }: MethodContext,
  params: AnyParams = {},
  { signal, stats, retriesFor }: CallOptions = {},
  own: Pick<Call<T>, 'read' | 'onRetry' | 'stats'>,
): AsyncGenerator<Piece<T>> {
  const request = buildRequest(operation, params, encoding)
  const counters = [...(stats === undefined ? [] : [stats]), ...(own.stats ?? [])]
  return service.call({ ...own, operation, request, signal, retriesFor, stats: counters })
}
