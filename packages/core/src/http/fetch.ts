import { fetch as send } from 'undici'
import { type ProxyOptions, route } from './proxy.ts'
import { MAX_HEADER_BYTES, tlsOptions } from './transport.ts'

/** To connect, in milliseconds; a signal may end a request earlier. */
const CONNECT_MS = 10_000

/**
 * A `fetch` on the same ways as a client: through proxies, and with further certificates (PEM) of authorities to trust.
 * @throws TypeError as `fetch` does; its cause names the proxy if that made no connection
 */
export function fetchThrough(of: { readonly ca?: string | undefined; readonly proxy?: ProxyOptions | undefined }) {
  const shared = { proxy: of.proxy, tls: tlsOptions(of.ca), pool: { maxHeaderSize: MAX_HEADER_BYTES } }
  const through = (address: URL, init: Parameters<typeof send>[1]) =>
    send(address, { ...init, dispatcher: route(address.origin, { ...shared, timeoutMs: CONNECT_MS }).dispatcher })
  return through as unknown as (address: URL, init: RequestInit) => Promise<Response> // undici's own types of the same things
}
