import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'
import type { Identity } from '@collab-etl/harness/tls-identity'

/** A server in front of the service that ends TLS with an identity. */
export async function tlsFront(
  identity: Identity,
  behind: string,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(identity, (socket) => {
    const onward = connect(Number(new URL(behind).port), '127.0.0.1')
    for (const end of [socket, onward]) end.on('error', () => end.destroy())
    socket.pipe(onward).pipe(socket)
  })
  // A client that does not trust it fails here.
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP address
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
