import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignInError } from '../errors/sign-in-error.ts'

const HOST = '127.0.0.1'
const PATH = '/callback'

/** How long signing in may take, in milliseconds. */
const WAIT_MS = 600_000

/** A random text that the authorization page sends back. */
export function newState(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares in constant time. */
export function isState(given: string | null, state: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== null && timingSafeEqual(digest(given), digest(state))
}

/** The address of the authorization page for a user. */
export function authorizationUrl(
  authorizeUrl: string,
  { clientId, redirectUri, state }: { readonly clientId: string; readonly redirectUri: string; readonly state: string },
): string {
  const url = new URL(authorizeUrl)
  const fields = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', state, display: 'web' }
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url.href
}

/**
 * The code of an address to which the authorization page led; `null`: it has another state, or neither code nor error.
 * @throws SignInError `refused` if the user or the service refused
 */
export function codeOf(url: URL, state: string): string | null {
  if (!isState(url.searchParams.get('state'), state)) return null
  const error = url.searchParams.get('error')
  if (error !== null) {
    const shown = /^\w{1,50}$/.test(error) ? ` (${error})` : ''
    throw new SignInError('refused', `the authorization page refused${shown}; run collab-extract login again`)
  }
  return url.searchParams.get('code') || null
}

/** Waits on loopback for the code. */
export interface CallbackListener extends AsyncDisposable {
  /** The address with which the application must be registered. */
  readonly redirectUri: string
  /**
   * The code; requests with another state or path are refused and do not end the waiting.
   * @throws SignInError `refused` if the authorization was refused, or no code came within ten minutes
   */
  code(signal: AbortSignal): Promise<string>
}

/** @throws Error with code `EADDRINUSE` if the port is taken */
export async function listenForCode(port: number, state: string, waitMs = WAIT_MS): Promise<CallbackListener> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  promise.catch(() => {}) // `code` is not called yet
  const server = createServer((request, response) => {
    try {
      const code = judged(request, state)
      if (typeof code === 'number')
        return answer(response, code, 'This is not the answer that collab-extract waits for.')
      answer(response, 200, 'Signed in. You can close this page and return to the terminal.')
      resolve(code)
    } catch (error) {
      answer(response, 403, 'The sign-in was refused. The terminal shows how to continue.')
      reject(error)
    }
  })
  server.listen(port, HOST)
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo // it listens on a port
  return {
    redirectUri: `http://${HOST}:${actual}${PATH}`,
    async code(signal) {
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
      const timer = setTimeout(() => {
        reject(
          new SignInError('refused', `no code came within ${waitMs / 60_000} minutes; run collab-extract login again`),
        )
      }, waitMs)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 500).unref()
      await closed
    },
  }
}

/** The code of a request, or the status of its refusal. */
function judged({ method, url = '' }: IncomingMessage, state: string): string | number {
  const address = URL.canParse(url, `http://${HOST}`) ? new URL(url, `http://${HOST}`) : undefined
  if (address?.pathname !== PATH) return 404
  if (method !== 'GET') return 405
  return codeOf(address, state) ?? 400
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`<!doctype html><meta charset="utf-8"><title>collab-extract login</title><p>${text}</p>\n`)
}
