import { UsageError } from './errors.ts'
import { revealProxy } from './settings/proxy.ts'
import type { Settings } from './settings/resolve.ts'
import type { TokenPlace } from './settings/token.ts'
import type { OauthSettings } from './settings/token-keys.ts'

/** The access token of the service, which may be replaced while a command runs: a `TokenSource` of `@collab-etl/core`. */
export interface Tokens {
  /** The token for the next request. */
  current(): Promise<string>
  /** Another token after one was refused; `undefined`: there is none. */
  renew(refused: string): Promise<string | undefined>
  readonly secrets?: Iterable<string>
  /** The same for all processes that use this sign-in or command; `null`: a token that never changes. */
  readonly identity: string | null
}

/** What a token file or a token command needs besides itself. */
interface TokenOptions {
  readonly baseUrl: string
  readonly ca: string | undefined
  readonly proxy: ReturnType<typeof revealProxy>
  readonly timeoutSeconds: number
  readonly oauth: OauthSettings
  /** Ends waiting for a token. */
  readonly signal: AbortSignal
  readonly onSecret: (secret: string) => void
  readonly onWarning: (message: string) => void
}

/** Opens a token that can be replaced. @throws errors that the program's `mapError` knows */
export type OpenTokens = (place: TokenPlace, options: TokenOptions) => Promise<Tokens>

type Hooks = Pick<TokenOptions, 'signal' | 'onSecret' | 'onWarning'>

/** Opens the token of the settings at the first call; later calls return the same. */
export function tokensOf(settings: Settings, open: OpenTokens | undefined, hooks: Hooks): () => Promise<Tokens> {
  let opened: Promise<Tokens> | undefined
  return () => {
    opened ??= openNow(settings, open, hooks)
    return opened
  }
}

async function openNow(settings: Settings, open: OpenTokens | undefined, hooks: Hooks): Promise<Tokens> {
  const { token, tokenPlace } = settings
  const { baseUrl } = requireService(settings)
  if (token !== undefined) {
    const text = token.reveal()
    return { current: async () => text, renew: async () => undefined, secrets: [text], identity: null }
  }
  if (tokenPlace === undefined || open === undefined) throw new TypeError('this program opens no tokens')
  const { ca, proxy, timeoutSeconds, oauth } = settings
  return await open(tokenPlace, { baseUrl, ca: ca?.pem, proxy: revealProxy(proxy), timeoutSeconds, oauth, ...hooks })
}

/** Whether a token is set, as a text, in a file or by a command. */
export function hasToken({ token, tokenPlace }: Pick<Settings, 'token' | 'tokenPlace'>): boolean {
  return token !== undefined || tokenPlace !== undefined
}

/** The service's address, which has no default. @throws UsageError if it is not set */
export function requireAddress({ baseUrl }: Pick<Settings, 'baseUrl'>): string {
  if (baseUrl !== undefined) return baseUrl
  throw new UsageError('the address of the service is not set: give --base-url URL or set COLLAB_BASE_URL')
}

/** The service's address. @throws UsageError if it is not set, or no token is */
export function requireService(settings: Settings): { readonly baseUrl: string } {
  const baseUrl = requireAddress(settings)
  if (!hasToken(settings)) {
    throw new UsageError(
      'no access token is set: set COLLAB_TOKEN, or give --token-file FILE, which collab-extract login makes',
    )
  }
  return { baseUrl }
}
