/** Addresses of the three steps of signing in. */
export interface OauthAddresses {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly refreshUrl: string
}

/** The public service has its authorization page on another host. */
const PUBLIC_SERVICE = 'https://api.worktile.com'
const PUBLIC_AUTHORIZATION = 'https://open.worktile.com/oauth2/authorize'

/**
 * The addresses of a service.
 * @param baseUrl without `/v1`
 * @param given addresses that replace the defaults
 */
export function oauthAddresses(baseUrl: string, given: Partial<OauthAddresses> = {}): OauthAddresses {
  const base = baseUrl.replace(/\/+$/, '')
  return {
    authorizeUrl: given.authorizeUrl ?? (base === PUBLIC_SERVICE ? PUBLIC_AUTHORIZATION : `${base}/oauth2/authorize`),
    tokenUrl: given.tokenUrl ?? `${base}/oauth2/access_token`,
    refreshUrl: given.refreshUrl ?? `${base}/oauth2/refresh_token`,
  }
}
