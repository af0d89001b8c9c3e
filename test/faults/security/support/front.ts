import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Identity } from './tls-identity.ts'

/** A server in front of the service, or instead of it. */
export interface Front extends AsyncDisposable {
  readonly port: number
}

/** Terminates TLS with the given identity and forwards to the service. */
export async function tlsFront(identity: Identity, behind: string): Promise<Front> {
  const { port } = new URL(behind)
  const server = createTlsServer(identity, (socket) => {
    const onward = connect(Number(port), '127.0.0.1')
    for (const end of [socket, onward]) end.on('error', () => end.destroy())
    socket.pipe(onward).pipe(socket)
  })
  // A client that does not trust it fails here.
  server.on('tlsClientError', () => {})
  return await listening(server)
}

/** Answers every request with the given answer, and records the requests. */
export async function httpFront(answer: RequestListener): Promise<Front & { readonly requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  return Object.assign(await listening(server), { requests })
}

async function listening(server: Server): Promise<Front> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP address
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      if ('closeAllConnections' in server) (server as { closeAllConnections(): void }).closeAllConnections() // only HTTP servers have it
      await closed
    },
  }
}
