import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Sandbox } from '@collab-etl/sandbox'
import { onTestFinished } from 'vitest'
import type { Json } from './restore-sandboxes.ts'

/** A change of requests to a service, and of its answers; both are JSON. */
export interface Alteration {
  readonly method: 'GET' | 'POST'
  /** Without `/v1/`: `page`, `pages`. */
  readonly path: string
  /** Replaces the body of the request. */
  readonly sent?: (body: Json) => Json
  /** Replaces the answer. */
  readonly answered?: (answer: never, body: Json) => unknown
}

/** A proxy in front of a sandbox that alters requests or answers; it runs until the test ends. */
export async function alteredService(sandbox: Sandbox, alterations: readonly Alteration[]): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body: Json = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())
    const path = (request.url ?? '').replace(/^\/v1\//, '').replace(/\?.*/, '')
    const found = alterations.filter(({ method, path: wanted }) => method === request.method && path === wanted)
    const sent = found.reduce((changed, { sent: change }) => change?.(changed) ?? changed, body)
    const answer = await fetch(`${sandbox.baseUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json', access_token: sandbox.token },
      ...(request.method === 'POST' && { body: JSON.stringify(sent) }),
    })
    const value: unknown = await answer.json()
    // `never`: the author of an alteration knows the type of the answer.
    const altered = found.reduce(
      (changed, { answered }) => (answered ? answered(changed as never, body) : changed),
      value,
    )
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(altered))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
}
