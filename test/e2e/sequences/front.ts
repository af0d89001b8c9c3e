import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the JSON of a response is written: the same values in different bytes. */
export const FORMS = ['as sent', 'indented', 'other key order', 'escaped'] as const
type Form = (typeof FORMS)[number]

/** A proxy with a constant address: forwards requests to the current sandbox, and rewrites its JSON in another form. */
export interface Front extends AsyncDisposable {
  readonly baseUrl: string
  form: Form
  /** Called before each request is forwarded. */
  onRequest: () => void
  /** Forwards further requests to this address. */
  leadTo(baseUrl: string): void
}

export async function startFront(): Promise<Front> {
  let target = ''
  const server = createServer(async (request, response) => {
    front.onRequest()
    try {
      const answer = await fetch(target + request.url, {
        method: request.method ?? 'GET',
        headers: { access_token: String(request.headers['access_token']) },
      })
      const text = await answer.text()
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(answer.ok ? rewritten(text, front.form) : text)
    } catch {
      request.socket.destroy() // as the sandbox closed its connection
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  const front: Front = {
    ...{ baseUrl: `http://127.0.0.1:${port}`, form: 'as sent', onRequest: () => {} },
    leadTo(baseUrl) {
      target = baseUrl
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
  return front
}

function rewritten(text: string, form: Form): string {
  if (form === 'as sent') return text
  const value: unknown = JSON.parse(text)
  if (form === 'indented') return JSON.stringify(value, null, 1)
  if (form === 'other key order') return JSON.stringify(value, inReverse)
  return JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function inReverse(_: string, value: unknown): unknown {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? Object.fromEntries(Object.entries(value).toReversed()) : value
}
