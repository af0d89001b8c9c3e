import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failure, OPERATIONS, operationOf, type Params, type Reply } from './answers.ts'
import type { World } from './records.ts'
import { type Exchange, type Rule, Script } from './rule.ts'

export interface HostileOptions {
  readonly world: World
  /** The one token that it knows. */
  readonly token: string
  readonly rules?: readonly Rule[]
  /** Where it listens. Default: any free port of 127.0.0.1. */
  readonly at?: { readonly host: string; readonly port: number }
}

/** The documented service (docs/service-api.md) on loopback; only its rules make it deviate. */
export class HostileService implements AsyncDisposable {
  readonly baseUrl: string
  world: World
  /** Requests by operation and project, such as `tasks P1`, in the order in which they came. */
  readonly requests: string[] = []
  readonly #token: string
  readonly #server: ReturnType<typeof createServer>
  #script: Script

  static async start(options: HostileOptions): Promise<HostileService> {
    // Stalls and drips are to end when the client says so, not when Node does.
    const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { host = '127.0.0.1', port = 0 } = options.at ?? {}
    server.once('error', reject).listen(port, host, resolve)
    await promise
    return new HostileService(server, options)
  }

  private constructor(server: ReturnType<typeof createServer>, { world, token, rules = [] }: HostileOptions) {
    const { address, port } = server.address() as AddressInfo // it listens on TCP
    this.baseUrl = `http://${address}:${port}`
    this.world = world
    this.#token = token
    this.#script = new Script(rules)
    this.#server = server
    // Connections that are closed by either side are what this is about.
    server.on('connection', (socket) => socket.on('error', () => {}))
    server.on('request', (request, response) => void this.#serve(request, response))
  }

  /** From now on it misbehaves otherwise. */
  follow(rules: readonly Rule[]): void {
    this.#script = new Script(rules)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.baseUrl)
    const operation = operationOf(request.method ?? '', url.pathname)
    if (operation === undefined) return answer(response, { status: 404, value: null })
    const { name } = operation
    const params = { ...operation.params, ...Object.fromEntries(url.searchParams), ...(await bodyOf(request)) }
    this.requests.push([name, params['pid']].filter(Boolean).join(' '))
    const token = request.headers['access_token'] ?? params['access_token']
    if (token === undefined) return answer(response, failure(401, 100005))
    if (token !== this.#token) return answer(response, failure(400, 100006))
    const behaviour = this.#script.behaviour(name, params)
    const reply = OPERATIONS[name].reply(this.world, params)
    if (behaviour === undefined) return answer(response, reply)
    const { socket } = request
    const text = JSON.stringify(reply.value)
    const exchange: Exchange = { operation: name, params, reply, text, world: this.world, request, response, socket }
    await behaviour(exchange)
  }
}

function answer(response: ServerResponse, { status, value }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
}

async function bodyOf(request: IncomingMessage): Promise<Params> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : JSON.parse(text)
}
