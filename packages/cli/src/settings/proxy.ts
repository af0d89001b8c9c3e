import { UsageError } from '../errors.ts'
import { Secret } from '../secret.ts'

/** Proxies between this machine and the service, health checks and receivers of notifications. */
export interface ProxySettings {
  /** For addresses with https; `undefined`: as for http. */
  readonly https: Secret | undefined
  /** For addresses with http; `undefined`: none. */
  readonly http: Secret | undefined
  /** Hosts that are reached without a proxy, as in `NO_PROXY`. */
  readonly except: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** What `fetch` and clients of `@collab-etl/core` take: the addresses in clear. */
export function revealProxy(proxy: ProxySettings | undefined) {
  return proxy && { https: proxy.https?.reveal(), http: proxy.http?.reveal(), except: proxy.except }
}

/**
 * The proxies of the environment, in capitals or not, each of which beats `proxy:` of the config file; `undefined`: there is none.
 * @throws UsageError that names the variable
 */
export function resolveProxy(env: Environment, fromFile: Secret | undefined): ProxySettings | undefined {
  const found = (name: string) => env[name.toLowerCase()] || env[name] || undefined
  const proxyOf = (name: string) => {
    const text = found(name)
    if (text === undefined) return fromFile
    try {
      return proxyAddress(text)
    } catch (error) {
      throw new UsageError(`${name} ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const [https, http] = [proxyOf('HTTPS_PROXY'), proxyOf('HTTP_PROXY')]
  return https === undefined && http === undefined ? undefined : { https, http, except: found('NO_PROXY') ?? '' }
}

/** `proxy:` of the config file. */
export function parseProxy(value: unknown): Secret {
  return proxyAddress(typeof value === 'string' ? value : '')
}

/** The variables that give another program the same proxies. */
export function proxyEnvironment(proxy: ProxySettings | undefined): Record<string, string> {
  const { https, http } = proxy ?? {}
  return { ...(https && { HTTPS_PROXY: https.reveal() }), ...(http && { HTTP_PROXY: http.reveal() }) }
}

/** The address of a proxy, `http://` unless it says so. It is shown without user and password, and never quoted in an error. */
function proxyAddress(text: string): Secret {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.search || url.hash) {
    throw new Error('must be an address such as http://user:password@proxy.example.com:3128')
  }
  const { username, password, protocol, host } = url
  return new Secret(
    `${protocol}//${username}${password && `:${password}`}${username && '@'}${host}`,
    `${protocol}//${username && '***@'}${host}`,
    username === ''
      ? []
      : [password, decoded(password), Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')],
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('must have any % in its user name and password percent-encoded: %25')
  }
}
