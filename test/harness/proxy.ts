import { createServer, request as send } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** A request that a proxy got: `CONNECT service.test:443`, or a method and an address. */
export interface Proxied {
  readonly line: string
  /** Of the request in full, as it came in clear. */
  readonly headers: NodeJS.Dict<string | string[]>
}

/** An HTTP proxy on loopback, for which every host is this machine. Disposing of it stops it. */
export interface Proxy extends AsyncDisposable {
  /** With the user and password that it wants. */
  readonly url: string
  readonly host: string
  readonly seen: Proxied[]
  /** Open connections of clients. */
  readonly connections: () => number
}

export interface ProxyRules {
  /** `user:password`; default: anyone may use it. */
  readonly user?: string
  /** The status with which it refuses everything; `null`: it never answers. */
  readonly refuses?: number | null
}

/** Starts a proxy that makes tunnels (CONNECT), and forwards requests for http. */
export async function startProxy({ user, refuses }: ProxyRules = {}): Promise<Proxy> {
  const seen: Proxied[] = []
  const wanted = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`
  const refusal = (authorization: string | undefined) =>
    refuses === undefined ? (wanted === undefined || authorization === wanted ? undefined : 407) : refuses
  const server = createServer((incoming, answer) => {
    const { method, url = '', headers } = incoming
    seen.push({ line: `${method} ${url}`, headers })
    const status = refusal(headers['proxy-authorization'])
    if (status === null) return
    if (status !== undefined)
      return void answer.writeHead(status, { 'content-type': 'text/html' }).end('<p>refused</p>')
    const { 'proxy-authorization': _authorization, ...rest } = headers
    const { port, pathname, search } = new URL(url)
    const onward = send({ host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers: rest }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.writeHead(502).end())
    incoming.pipe(onward)
  })
  server.on('connect', ({ url = '', headers }, socket, first) => {
    seen.push({ line: `CONNECT ${url}`, headers })
    socket.on('error', () => {})
    const status = refusal(headers['proxy-authorization'])
    if (status === null) return
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`)
    const onward = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      onward.write(first)
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.end('HTTP/1.1 503 Unreachable\r\ncontent-length: 0\r\n\r\n'))
    socket.on('close', () => onward.destroy())
  })
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const host = `127.0.0.1:${port}`
  return {
    url: `http://${user === undefined ? '' : `${user}@`}${host}`,
    host,
    seen,
    connections: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
