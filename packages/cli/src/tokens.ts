import { UsageError } from './errors.ts'
import type { AccountPlace } from './settings/accounts.ts'
import { revealProxy } from './settings/proxy.ts'
import type { Settings } from './settings/resolve.ts'
import { DEFAULT_ACCOUNT, type FoundToken, readTokenFile, type TokenPlace } from './settings/token.ts'
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

/** Who reads the service, with whose token. */
export interface Account {
  /** `default`: the only one, which has no name in the settings. */
  readonly name: string
  readonly tokens: Tokens
  readonly ratePerSecond: number | undefined
  /** Why its token cannot be read, which `tokens` reject with. */
  readonly failure?: unknown
}

/** Opens the accounts of the settings at the first call; later calls return the same. */
export function accountsOf(
  settings: Settings,
  open: OpenTokens | undefined,
  hooks: Hooks,
): () => Promise<readonly Account[]> {
  let opened: Promise<readonly Account[]> | undefined
  return () => {
    opened ??= openAll(settings, open, hooks)
    return opened
  }
}

/** The token of the only account. @throws UsageError if there are several; errors of opening it */
export async function onlyTokens(accounts: () => Promise<readonly Account[]>): Promise<Tokens> {
  const [only, ...others] = await accounts()
  if (only === undefined || others.length > 0)
    throw new UsageError(
      'this needs one token, and accounts: in the config file has several: give --config FILE with a token_file instead',
    )
  return only.tokens
}

/** If the token of an account cannot be read, its first request fails, not this call: the other accounts still read. */
async function openAll(settings: Settings, open: OpenTokens | undefined, hooks: Hooks): Promise<readonly Account[]> {
  const { baseUrl } = requireService(settings)
  const { ca, proxy, timeoutSeconds, oauth } = settings
  const options = { baseUrl, ca: ca?.pem, proxy: revealProxy(proxy), timeoutSeconds, oauth, ...hooks }
  if (settings.accounts === undefined) {
    return [{ name: DEFAULT_ACCOUNT, tokens: await openOne(settings, open, options), ratePerSecond: undefined }]
  }
  return await Promise.all(
    settings.accounts.map(async ({ name, place, ratePerSecond }) => {
      try {
        return { name, tokens: await openOne(foundAt(place, hooks), open, options), ratePerSecond }
      } catch (error) {
        hooks.signal.throwIfAborted()
        const fail = () => Promise.reject(error)
        return { name, tokens: { current: fail, renew: fail, identity: null }, ratePerSecond, failure: error }
      }
    }),
  )
}

/** The token of an account, or where it is: a file may hold either. @throws UsageError */
function foundAt(place: AccountPlace['place'], hooks: Hooks): Omit<FoundToken, 'warning'> {
  if (place.kind === 'command') return { token: undefined, tokenPlace: place }
  const { warning, ...found } = readTokenFile(place.path, place.given, 'token_file')
  if (warning !== undefined) hooks.onWarning(warning)
  return found
}

async function openOne(
  { token, tokenPlace }: Omit<FoundToken, 'warning'>,
  open: OpenTokens | undefined,
  options: TokenOptions,
): Promise<Tokens> {
  if (token !== undefined) {
    const text = token.reveal()
    options.onSecret(text)
    return { current: async () => text, renew: async () => undefined, secrets: [text], identity: null }
  }
  if (tokenPlace === undefined || open === undefined) throw new TypeError('this program opens no tokens')
  return await open(tokenPlace, options)
}

/** The account of a name that `--account` gives. @throws UsageError that names those of the settings */
export function accountOf({ accounts }: Pick<Settings, 'accounts'>, name: string): AccountPlace {
  const found = accounts?.find((account) => account.name === name)
  if (found !== undefined) return found
  const names = accounts?.map((account) => account.name).join(', ') ?? 'there is no accounts: in collab.yaml'
  throw new UsageError(`--account: no account is named ${name} (${names})`)
}

/** Whether a token is set, as a text, in a file or by a command, or accounts with theirs. */
export function hasToken({ token, tokenPlace, accounts }: TokenSettings): boolean {
  return (token ?? tokenPlace ?? accounts) !== undefined
}

/** Where tokens are. */
export type TokenSettings = Pick<Settings, 'token' | 'tokenPlace' | 'accounts'>

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
