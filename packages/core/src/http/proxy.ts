import { buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici'

/** Proxies, each as an address such as `http://user:password@proxy.example:3128`. */
export interface ProxyOptions {
  /** For addresses with https, which are reached through a tunnel (CONNECT). Default: that for http. */
  readonly https?: string | undefined
  /** For addresses with http, whose requests are forwarded. Default: none. */
  readonly http?: string | undefined
  /** Hosts that are reached without a proxy, as in `NO_PROXY`. Loopback always is. */
  readonly except?: string | undefined
}

/** A proxy that cannot be reached, or did not make a connection. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  /** Host and port of the proxy. */
  readonly proxy: string
  /** The HTTP status of its answer; `null`: there was none. */
  readonly status: number | null

  constructor(proxy: string, status: number | null, cause?: unknown) {
    const problem = status === null ? 'cannot be reached' : `answered HTTP ${status}`
    super(`the proxy ${proxy} ${problem}`, cause === undefined ? undefined : { cause })
    this.proxy = proxy
    this.status = status
  }
}

type Connector = ReturnType<typeof buildConnector>
type PoolOptions = Omit<Pool.Options, 'connect' | 'factory'>

export interface RouteOptions {
  readonly proxy: ProxyOptions | undefined
  /** Of TLS connections, to the service and to a proxy. */
  readonly tls: buildConnector.BuildOptions
  /** Of every pool of connections. */
  readonly pool: PoolOptions
  /** To connect, through a proxy too, in milliseconds. */
  readonly timeoutMs: number
}

/** How an address is reached. */
export interface Route {
  readonly dispatcher: Dispatcher
  /** Host and port of the proxy to which requests are sent in clear, so that it can answer in place of the service; `null`: there is none. */
  forwardedBy(): string | null
}

/**
 * Connections to one address, through a proxy if one is set for it.
 * @param wrap is given what connects, and returns what is used instead
 */
export function route(
  origin: string,
  { proxy, tls, pool, timeoutMs }: RouteOptions,
  wrap: (connect: Connector) => Connector = (connect) => connect,
): Route {
  const direct = buildConnector({ timeout: timeoutMs, ...tls })
  if (proxy === undefined || isLoopback(new URL(origin).hostname)) {
    return { dispatcher: new Pool(origin, { ...pool, connect: wrap(direct) }), forwardedBy: () => null }
  }
  let forwardedBy: string | null = null
  const dispatcher = new EnvHttpProxyAgent({
    // an empty text means none: the process's own environment is not read
    httpProxy: proxy.http ?? '',
    httpsProxy: proxy.https ?? '',
    noProxy: proxy.except ?? '',
    connectTimeout: timeoutMs,
    requestTls: tls,
    proxyTls: tls,
    allowH2: false,
    factory(to, given) {
      const address = new URL(to)
      const { connect } = given as { readonly connect?: Connector } // a function of `ProxyAgent`, except for a host without proxy
      if (address.origin !== new URL(origin).origin) forwardedBy = address.host
      const reached = connect === undefined || forwardedBy === null ? connect : toProxy(connect, forwardedBy)
      return new Pool(address.origin, { ...pool, connect: wrap(reached ?? direct) })
    },
    clientFactory: (to, given) => tunnels(to, given, timeoutMs),
  })
  return { dispatcher, forwardedBy: () => forwardedBy }
}

/** Connects to a proxy, whose failure is a `ProxyError`. */
function toProxy(connect: Connector, proxy: string): Connector {
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error === null) callback(null, socket)
      else callback(new ProxyError(proxy, null, error), null)
    })
}

type Tunnel = (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>

/** Connections to a proxy that become tunnels. undici's errors would not name the proxy, and it waits for five minutes. */
function tunnels(proxy: URL, options: Pool.Options, timeoutMs: number): Pool {
  const pool = new Pool(proxy.origin, options)
  const open: Tunnel = pool.connect.bind(pool)
  const connect: Tunnel = async (request) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await open({ ...request, signal }).catch((error: unknown) => {
      throw new ProxyError(proxy.host, null, signal.aborted ? new errors.ConnectTimeoutError('no tunnel') : error)
    })
    if (answer.statusCode === 200) return answer
    answer.socket.on('error', () => {}).destroy()
    throw new ProxyError(proxy.host, answer.statusCode)
  }
  return Object.assign(pool, { connect })
}

/** Whether a host is this machine, which no proxy can reach for it. @param host as in a URL, with the brackets of IPv6 */
function isLoopback(host: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)
}
