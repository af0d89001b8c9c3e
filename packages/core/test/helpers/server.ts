import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/index.ts'

/** A request as a test server saw it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Port of the client's end: the same for requests over one connection. */
  readonly port: number
}

export interface TestServer {
  readonly url: string
  readonly seen: Seen[]
}

/** Answers one request; `nth` counts from 1. */
export type Answerer = (response: ServerResponse, seen: Seen, nth: number) => unknown

/** A real HTTP server for one test. */
export async function serve(answer: Answerer): Promise<TestServer> {
  const seen: Seen[] = []
  const listener: RequestListener = async (request, response) => {
    const { method = '', url = '', headers, socket } = request
    const one = { method, url, headers, body: await text(request), port: socket.remotePort ?? 0 }
    seen.push(one)
    await answer(response, one, seen.length)
  }
  const server = createServer((request, response) => void listener(request, response))
  const port = await listening(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, seen }
}

/** A real TCP server for one test, for what no HTTP server would do. `nth` counts connections from 1. */
export async function serveRaw(onConnection: (socket: Socket, nth: number) => void): Promise<string> {
  const sockets = new Set<Socket>()
  let nth = 0
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket, ++nth)
  })
  const port = await listening(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${port}`
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A client for one test, that waits little between tries. */
export function clientOf(server: { readonly url: string } | string, options: Partial<ClientOptions> = {}): Client {
  const baseUrl = typeof server === 'string' ? server : server.url
  const client = createClient({ baseUrl, token: 'a-token', backoff: { baseMs: 2, maxMs: 4 }, ...options })
  onTestFinished(() => client.close())
  return client
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

export function errorBody(response: ServerResponse, code: number, status: number): void {
  json(response, { error_code: code, error_message: '错误', request: '/v1/…' }, status)
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** What a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`resolved: ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    // net's address() is an object for a server that listens on a port.
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
