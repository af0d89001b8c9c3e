import { randomBytes } from 'node:crypto'

/** Seconds that a token lives: what clients of the service have seen. */
const TOKEN_LIFETIME = 7_776_000

/** Milliseconds that a code can be exchanged. */
const CODE_LIFETIME_MS = 600_000

export const CODE_EXPIRED = 100004
export const NO_REFRESH_TOKEN = 100008
export const WRONG_REFRESH_TOKEN = 100009

/** A pair of tokens, and the refresh token that it replaces. */
interface Grant {
  readonly clientId: string
  /** Who signed in; `null`: the caller of the sandbox. */
  readonly uid: string | null
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresAt: number
  readonly replaces: string | null
}

/** The answer to a code or a refresh token. */
export interface IssuedTokens {
  readonly access_token: string
  readonly refresh_token: string
  /** Seconds. */
  readonly expires_in: number
}

/**
 * Codes and tokens that were issued. A refresh token is valid until a token of the pair that replaced it is used, so that a client whose answer
 * was lost can ask again.
 */
export class Grants {
  readonly #lifetime: number
  readonly #codes = new Map<
    string,
    { readonly clientId: string; readonly uid: string | null; readonly redirectUri: string; readonly expiresAt: number }
  >()
  readonly #byAccess = new Map<string, Grant>()
  readonly #byRefresh = new Map<string, Grant>()
  /** Who agrees on the authorization page from now on; `null`: the caller of the sandbox. */
  user: string | null = null

  /** @param lifetime of an access token, in seconds */
  constructor(lifetime = TOKEN_LIFETIME) {
    this.#lifetime = lifetime
  }

  newCode(clientId: string, redirectUri: string): string {
    const code = randomBytes(16).toString('hex')
    this.#codes.set(code, { clientId, uid: this.user, redirectUri, expiresAt: Date.now() + CODE_LIFETIME_MS })
    return code
  }

  /** Tokens for a code, which is valid once; `null`: it is unknown, used or expired, or of another client. */
  exchange(code: string, clientId: string, redirectUri: string): IssuedTokens | null {
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    if (found === undefined || found.clientId !== clientId || found.expiresAt < Date.now()) return null
    if (redirectUri !== '' && redirectUri !== found.redirectUri) return null
    return this.issue(clientId, found.uid)
  }

  /** A new pair for a refresh token; `null`: it is not valid. */
  refresh(refreshToken: string, clientId: string): IssuedTokens | null {
    const grant = this.#byRefresh.get(refreshToken)
    if (grant === undefined || grant.clientId !== clientId) return null
    this.#use(grant)
    return this.issue(clientId, grant.uid, refreshToken)
  }

  /** Issues a pair without a code. */
  issue(clientId: string, uid = this.user, replaces: string | null = null): IssuedTokens {
    const [accessToken, refreshToken] = [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')]
    const expiresAt = Date.now() + this.#lifetime * 1000
    const grant = { clientId, uid, accessToken, refreshToken, expiresAt, replaces }
    this.#byAccess.set(accessToken, grant)
    this.#byRefresh.set(refreshToken, grant)
    return { access_token: accessToken, refresh_token: refreshToken, expires_in: this.#lifetime }
  }

  /** Whether an access token is valid now. */
  accepts(accessToken: unknown): boolean {
    return this.use(accessToken) !== undefined
  }

  /** Notes that an access token was used, and returns who signed in; `undefined`: it is not valid now. */
  use(accessToken: unknown): { readonly uid: string | null } | undefined {
    const grant = typeof accessToken === 'string' ? this.#byAccess.get(accessToken) : undefined
    if (grant === undefined || grant.expiresAt < Date.now()) return undefined
    this.#use(grant)
    return grant
  }

  /** Makes all codes, access tokens and refresh tokens invalid. */
  revokeAll(): void {
    for (const map of [this.#codes, this.#byAccess, this.#byRefresh]) map.clear()
  }

  /** Makes all access tokens invalid; refresh tokens stay. */
  revokeAccess(): void {
    this.#byAccess.clear()
  }

  #use({ replaces }: Grant): void {
    if (replaces !== null) this.#byRefresh.delete(replaces)
  }
}
