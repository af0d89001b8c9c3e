import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a receiver got. */
export interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How a receiver answers its n-th request: a status, or never. */
export type Answer = (n: number) => number | 'never'

/** A service that watches jobs. Disposing of it stops it. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
}

/** Starts a receiver on a free port. */
export async function startReceiver(answer: Answer = () => 200): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    })
    const status = answer(received.length)
    if (status === 'never') return
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
