/** A request as an operation makes it: without address and token. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** From `/v1` on, encoded. */
  readonly path: string
  /** Names and values, not encoded. */
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly body?: { readonly contentType: string; readonly text: string } | undefined
}

/** Where a request goes, and what goes with it. */
export interface Destination {
  readonly prefix: string
  readonly token: string
  readonly tokenIn: 'header' | 'query'
}

/** A request as it is sent. It holds the token. */
export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** Adds address and token (API page, part 5) to a request. */
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
      // Without a body there is nothing to declare, and some servers refuse an empty body that is declared to be JSON.
      ...(body === undefined ? {} : { 'content-type': body.contentType }),
      'user-agent': 'collab-etl',
      ...(tokenIn === 'header' ? { access_token: token } : {}),
    },
    body: body?.text ?? null,
  }
}
