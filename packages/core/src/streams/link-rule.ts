import { randomUUID } from 'node:crypto'
import { getDomain, parse } from 'tldts'

/** The vendor's own site: texts of a self-hosted service may link to it. */
const ALWAYS_OWN = 'worktile.com'

/** Base for relative addresses. It is random, so that no text can name it. */
const NO_HOST = `${randomUUID()}.invalid`

const OF_SUFFIXES = { allowPrivateDomains: true }

/** Decides which addresses in texts count as links of the service. */
export interface LinkRuleOptions {
  /** Address of the service. Its registrable domain is its own: `example.com` of `https://collab.example.com`. */
  readonly baseUrl?: string | undefined
  /** Further hosts of the service, with their subdomains, as `parseServiceHosts` returns them. */
  readonly serviceHosts?: readonly string[] | undefined
  /** Whether a project is read in this run. */
  readonly hasProject: (pid: string) => boolean
}

/**
 * Decides which addresses in texts refer to records of the service: those that name a project of the run, on any host, and
 * those that are relative or on a host of the service.
 */
export class LinkRule {
  readonly #hasProject: (pid: string) => boolean
  readonly #domains: readonly string[]

  constructor({ baseUrl, serviceHosts = [], hasProject }: LinkRuleOptions) {
    this.#hasProject = hasProject
    const own = baseUrl === undefined ? null : hostOf(baseUrl)
    this.#domains = [ALWAYS_OWN, ...serviceHosts, ...(own === null ? [] : [getDomain(own, OF_SUFFIXES) ?? own])]
  }

  /**
   * Whether an address refers to a record of the service.
   * @param pid the project that the address names; `null` if it names none
   */
  counts(url: string, pid: string | null): boolean {
    return (pid !== null && this.#hasProject(pid)) || this.isOwn(url)
  }

  /** Whether an address is relative, or on a host of the service; its port does not matter. */
  isOwn(url: string): boolean {
    const host = hostOf(url)
    if (host === null) return false
    return host === NO_HOST || this.#domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
  }
}

/** The host that a browser would open, in lower case and ASCII; `null` if the address is not HTTP. */
function hostOf(url: string): string | null {
  const parsed = URL.parse(url, `https://${NO_HOST}`)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  return parsed.hostname.replace(/\.+$/, '')
}

/**
 * Checks the hosts of the service from a config file: names without scheme, port and path.
 * @throws Error that names the entry
 */
export function parseServiceHosts(value: unknown): string[] {
  if (!Array.isArray(value)) throw new Error('must be a list of host names, such as [collab.example.com]')
  return value.map((entry: unknown, index) => {
    const where = `entry ${index + 1}`
    const name = typeof entry === 'string' ? entry.toLowerCase().replace(/\.$/, '') : ''
    const host = /[/:@?#\\\s*]/.test(name) ? null : hostOf(`http://${name}`)
    if (host === null || host === '') throw new Error(`${where} must be a host name without scheme, port and path`)
    const { publicSuffix, isIp } = parse(host, OF_SUFFIXES)
    if (isIp !== true && publicSuffix === host && host !== 'localhost') {
      throw new Error(`${where}: ${host} is shared by many sites; name the service's own domain`)
    }
    return host
  })
}
