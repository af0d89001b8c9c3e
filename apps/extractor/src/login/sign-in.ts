import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { type Context, readBoundedFile, revealProxy, UsageError, whyUnreadable } from '@collab-etl/cli'
import { createClient } from '@collab-etl/core'
import {
  authorizationUrl,
  codeOf,
  exchangeCode,
  listenForCode,
  newState,
  oauthAddresses,
  storeSignIn,
  whyNotStorable,
  withTokens,
} from '@collab-etl/core/auth'

export interface SignInRequest {
  readonly baseUrl: string
  readonly clientId: string
  /** File that holds the application's secret. */
  readonly secretFile: string | undefined
  /** Where the browser is led; left out: to `port` on loopback. */
  readonly redirectUri: string | undefined
  readonly port: number
  /** The token file; absolute. */
  readonly out: string
  say(text: string): unknown
  /** Opens the authorization page, where there is a desktop. */
  show(url: string): void
}

export interface SignedIn {
  readonly uid: string | null
  /** ISO 8601. */
  readonly expiresAt: string | null
  readonly isRefreshable: boolean
}

/** Signs in through a browser and stores the tokens. */
export async function signIn(context: Context, request: SignInRequest): Promise<SignedIn> {
  const { baseUrl, clientId, secretFile, out } = request
  await requireWritable(out)
  const clientSecret = secretFile === undefined ? undefined : readSecret(secretFile)
  const { authorizeUrl, tokenUrl, refreshUrl } = oauthAddresses(baseUrl, context.settings.oauth)
  const { code, redirectUri } = await codeFrom(context, request, authorizeUrl)
  const { ca, proxy, timeoutSeconds } = context.settings
  const exchange = { ca: ca?.pem, proxy: revealProxy(proxy), timeoutSeconds, signal: context.signal }
  const pair = await exchangeCode({ tokenUrl, clientId, clientSecret, code, redirectUri }, exchange)
  const uid = await ownerOf(context, baseUrl, pair.accessToken)
  const bare = {
    accessToken: '',
    refreshToken: null,
    expiresAt: null,
    uid,
    clientId,
    addresses: { tokenUrl, refreshUrl },
  }
  const signedIn = withTokens(bare, pair)
  await storeSignIn(out, signedIn, context.signal)
  const { expiresAt, refreshToken } = signedIn
  return { uid, expiresAt: expiresAt?.toISOString() ?? null, isRefreshable: refreshToken !== null }
}

/** A code is valid once: whether the file can be written is found out before. */
async function requireWritable(out: string): Promise<void> {
  const found = await stat(out).catch(() => null)
  if (found !== null && !found.isFile()) throw new UsageError(`--out: ${out} is not a file`)
  const why = await whyNotStorable(out).catch((error: unknown) => {
    throw new UsageError(`--out: no file can be written to ${dirname(out)} (${whyUnreadable(error)})`, { cause: error })
  })
  if (why !== null) throw new UsageError(`--out: ${out} cannot be written, because ${why}`)
}

/** Longer secrets exist nowhere; what is larger is another file. */
const MAX_SECRET_BYTES = 64 * 1024

function readSecret(path: string): string {
  let text: string
  try {
    text = readBoundedFile(path, { maxBytes: MAX_SECRET_BYTES }).text.trim()
  } catch (error) {
    throw new UsageError(`--client-secret-file: ${path} cannot be read (${whyUnreadable(error)})`, { cause: error })
  }
  if (text === '' || /\s/.test(text)) throw new UsageError(`--client-secret-file: ${path} must hold the secret alone`)
  return text
}

interface Code {
  readonly code: string
  readonly redirectUri: string
}

async function codeFrom({ signal }: Context, request: SignInRequest, authorizeUrl: string): Promise<Code> {
  const { clientId, redirectUri: given, say, show } = request
  const state = newState()
  const begin = async (redirectUri: string) => {
    await say(`The application must be registered with this redirect address: ${redirectUri}`)
    const url = authorizationUrl(authorizeUrl, { clientId, redirectUri, state })
    await say(`Sign in at: ${url}`)
    show(url)
  }
  if (given !== undefined) {
    await begin(given)
    await say('Then paste the address to which the browser was led:')
    return { code: await pastedCode(state, signal), redirectUri: given }
  }
  await using listener = await listen(request.port, state)
  await begin(listener.redirectUri)
  return { code: await listener.code(signal), redirectUri: listener.redirectUri }
}

async function listen(port: number, state: string) {
  try {
    return await listenForCode(port, state)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const why = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be opened (${error.code})`
    throw new UsageError(`port ${port} on 127.0.0.1 ${why}: choose another with --port`, { cause: error })
  }
}

/** Reads lines of stdin until one is the address with the code, or the code alone, which has no state. */
async function pastedCode(state: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, signal })
  try {
    for await (const line of lines) {
      const text = line.trim()
      if (text === '') continue
      if (!URL.canParse(text)) return text
      const code = codeOf(new URL(text), state)
      if (code !== null) return code
      throw new UsageError(
        'the pasted address is not the one to which this sign-in led: it has another state, or no code',
      )
    }
  } finally {
    lines.close()
  }
  signal.throwIfAborted()
  throw new UsageError('no address was pasted: --paste reads it from stdin')
}

/** Whose token it is; `null` where the service does not offer to say. */
async function ownerOf({ settings, signal }: Context, baseUrl: string, token: string): Promise<string | null> {
  const { ca, proxy, timeoutSeconds, tokenIn } = settings
  const ways = { ca: ca?.pem, proxy: revealProxy(proxy), tokenIn }
  const client = createClient({ baseUrl, token, ...ways, timeoutSeconds, retries: 1, signal })
  try {
    return (await client.profile.get()).uid ?? null
  } catch {
    signal.throwIfAborted()
    return null
  } finally {
    await client.close()
  }
}
