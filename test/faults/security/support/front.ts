import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Identity } from './certificates.ts'

/** A server in front of the service, or in its place. */
export interface Front extends AsyncDisposable {
  readonly port: number
}

/** Speaks TLS with what it is given for an identity, and passes on to the service behind it. */
export async function tlsFront(identity: Identity, behind: string): Promise<Front> {
  const { port } = new URL(behind)
  const server = createTlsServer(identity, (socket) => {
    const onward = connect(Number(port), '127.0.0.1')
    for (const end of [socket, onward]) end.on('error', () => end.destroy())
    socket.pipe(onward).pipe(socket)
  })
  // A client that does not trust it says so here.
  server.on('tlsClientError', () => {})
  return await listening(server)
}

/** Answers every request as it is told, and keeps what was sent to it. */
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
  const { port } = server.address() as AddressInfo // of a port, not of a path
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      if ('closeAllConnections' in server) (server as { closeAllConnections(): void }).closeAllConnections() // HTTP has it
      await closed
    },
  }
}
