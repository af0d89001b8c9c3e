import type { Operation } from '@collab-etl/contract'

/** A request as an operation makes it: without address and token. */
export interface ServiceRequest {
  readonly method: Operation['method']
  /** Begins with `/v1`; encoded. */
  readonly path: string
  /** Names and values, not encoded. */
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly body?: { readonly contentType: string; readonly text: string } | undefined
}

export interface Destination {
  readonly prefix: string
  readonly token: string
  readonly tokenIn: 'header' | 'query'
}

/** A request as it is sent. It contains the token. */
export interface SentRequest {
  readonly method: Operation['method']
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** Adds address and token (docs/dev/service-api.md#authentication) to a request. */
export function addressed(request: ServiceRequest, { prefix, token, tokenIn }: Destination): SentRequest {
  const { method, path, body } = request
  const query = tokenIn === 'query' ? [...request.query, ['access_token', token] as const] : request.query
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  return {
    method,
    path: `${prefix}${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      // Without a body there is no type to declare, and some servers refuse an empty body with the type JSON.
      ...(body === undefined ? {} : { 'content-type': body.contentType }),
      'user-agent': 'collab-etl',
      ...(tokenIn === 'header' ? { access_token: token } : {}),
    },
    body: body?.text ?? null,
  }
}
