import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLockError, type Lock, takeLock } from '@collab-etl/lock'
import { isSignInError, SignInError } from '../errors/sign-in-error.ts'
import type { TokenSource } from '../http/token-source.ts'
import { type OauthAddresses, oauthAddresses } from './addresses.ts'
import { type ExchangeOptions, LONGEST_REFRESH_MS, refreshTokens } from './exchange.ts'
import {
  readSignIn,
  recoverPending,
  reserve,
  type SignIn,
  type StoredSignIn,
  targetOf,
  whyNotReplaceable,
  withTokens,
  writeSignIn,
} from './token-file.ts'

export interface TokenFileOptions extends ExchangeOptions {
  /** Address of the service, without `/v1`. */
  readonly baseUrl: string
  /** Addresses that replace those in the file. */
  readonly oauth?: Partial<OauthAddresses> | undefined
  /** Called with each token and refresh token as soon as it is known, so that logs can hide it. */
  readonly onSecret?: ((secret: string) => void) | undefined
  /** Called if the token could not be refreshed, but is still valid. */
  readonly onWarning?: ((message: string) => void) | undefined
}

const DAY_MS = 86_400_000

/** How long a process waits for another one that refreshes the token, in milliseconds: longer than that takes, with a minute for the disk. */
const LOCK_MS = LONGEST_REFRESH_MS + 60_000

/** How often it looks whether the other one has finished, in milliseconds. */
const POLL_MS = 100

/** After a failed refresh, a token that is still valid is used for this long before the next attempt, in milliseconds. */
const RETRY_MS = 60_000

/** The access token of a file that signing in stored. It is refreshed by one process at a time, and is on disk before it is used. */
export class TokenFile implements TokenSource {
  readonly secrets = new Set<string>()
  readonly #path: string
  readonly #options: TokenFileOptions
  #signIn: StoredSignIn
  #pending: Promise<void> | undefined
  /** No refresh is tried before, in milliseconds since the epoch. */
  #notBefore = 0

  private constructor(path: string, options: TokenFileOptions, signIn: StoredSignIn) {
    this.#path = path
    this.#options = options
    this.#signIn = signIn
    this.#note()
  }

  /**
   * Opens a token file, and checks that it can be replaced if it has a refresh token.
   * @throws SignInError `unusable`
   */
  static async open(path: string, options: TokenFileOptions): Promise<TokenFile> {
    const target = await targetOf(path)
    const file = new TokenFile(target, options, await readSignIn(target))
    const why = file.#signIn.refreshToken === null ? null : await whyNotReplaceable(target)
    if (why !== null) {
      const advice = `copy it into a directory that this user may write to (in a container, mount the directory, not the file), or use token_command`
      throw new SignInError(
        'unusable',
        `the token file ${path} must be replaced when its token is refreshed, but ${why}: ${advice}`,
      )
    }
    return file
  }

  /** The token's user; `null`: unknown. */
  get uid(): string | null {
    return this.#signIn.uid
  }

  /** The same for all processes that use this sign-in, whichever token is current. Holds no secret. */
  get identity(): string {
    const { clientId, uid } = this.#signIn
    return JSON.stringify(['sign-in', clientId, uid ?? this.#path])
  }

  async current(): Promise<string> {
    if (this.#isDue()) await this.#share(null)
    return this.#signIn.accessToken
  }

  async renew(refused: string): Promise<string | undefined> {
    if (this.#signIn.accessToken === refused) await this.#share(refused)
    const { accessToken } = this.#signIn
    return accessToken === refused ? undefined : accessToken
  }

  /** Parallel calls share one refresh. */
  async #share(refused: string | null): Promise<void> {
    this.#pending ??= this.#refresh(refused).finally(() => {
      this.#pending = undefined
    })
    await this.#pending
  }

  async #refresh(refused: string | null): Promise<void> {
    try {
      const lock = await lockOf(this.#path, this.#options.signal, () => this.#adopt())
      if (lock === null) return
      await using _held = lock
      await recoverPending(this.#path, this.#signIn)
      if (await this.#adopt()) return
      const { refreshToken, clientId, addresses } = this.#signIn
      if (refreshToken === null) return
      await using place = await reserve(this.#path)
      lock.check()
      const { refreshUrl } = oauthAddresses(this.#options.baseUrl, { ...addresses, ...this.#options.oauth })
      const pair = await refreshTokens({ refreshUrl, clientId, refreshToken }, this.#options)
      for (const secret of [pair.accessToken, pair.refreshToken]) if (secret !== null) this.#hide(secret)
      const next = withTokens(this.#signIn, pair)
      await place.store(next)
      this.#signIn = { ...next, storedAt: new Date() }
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      const failure = this.#failureOf(error)
      if (refused !== null || this.#isExpired()) throw failure
      this.#notBefore = Date.now() + RETRY_MS
      this.#options.onWarning?.(`the current token stays in use: ${failure.message}`)
    }
  }

  /** Reads the file again, which must hold a sign-in of the same user. Returns whether it holds another token, which is not about to expire. */
  async #adopt(): Promise<boolean> {
    const { accessToken, clientId, uid } = this.#signIn
    const found = await readSignIn(this.#path)
    // what one user sees is not what another sees
    if (found.clientId !== clientId || found.uid !== uid) {
      throw new SignInError('unusable', `the token file ${this.#path} now holds the sign-in of another user: run again`)
    }
    this.#signIn = found
    this.#note()
    return this.#signIn.accessToken !== accessToken && !this.#isDue()
  }

  #failureOf(error: unknown): SignInError {
    const login = `collab-extract login --client-id ${this.#signIn.clientId} --out ${this.#path}`
    if (isSignInError(error, 'refused')) return new SignInError('refused', `${error.message}. Sign in again: ${login}`)
    if (isSignInError(error, 'unreachable') || isLockError(error, 'HELD')) {
      const problem = `the token could not be refreshed: ${error.message.replace(/\.$/, '')}`
      return new SignInError('unreachable', `${problem}. If it stays so, sign in again: ${login}`, error.cause)
    }
    if (isSignInError(error)) return error
    const reason = error instanceof Error ? error.message : String(error)
    const where = `the token file ${this.#path} could not be replaced in ${dirname(this.#path)}`
    return new SignInError(
      'refused',
      `${where}: ${reason}. Make room there, or make it writable, and run again; if the token is refused then, sign in again: ${login}`,
      error,
    )
  }

  /** A token is refreshed a day before it expires; one that lives less than ten days, when a tenth of its life is left. */
  #isDue(): boolean {
    const { expiresAt, refreshToken, storedAt } = this.#signIn
    if (expiresAt === null || refreshToken === null || Date.now() < this.#notBefore) return false
    const lifetime = Math.max(0, expiresAt.getTime() - storedAt.getTime())
    return Date.now() >= expiresAt.getTime() - Math.min(DAY_MS, lifetime / 10)
  }

  #isExpired(): boolean {
    const { expiresAt } = this.#signIn
    return expiresAt !== null && Date.now() >= expiresAt.getTime()
  }

  #note(): void {
    const { accessToken, refreshToken } = this.#signIn
    this.#hide(accessToken)
    if (refreshToken !== null) this.#hide(refreshToken)
  }

  #hide(secret: string): void {
    if (this.secrets.has(secret)) return
    this.secrets.add(secret)
    this.#options.onSecret?.(secret)
  }
}

/** Why `storeSignIn` cannot write to a path; `null`: nothing is known against it. @throws errors of the file system */
export async function whyNotStorable(path: string): Promise<string | null> {
  return await whyNotReplaceable(await targetOf(path))
}

/**
 * Stores a new sign-in in a file, after a process that refreshes the old one.
 * @throws LockError `HELD` if that takes too long; errors of the file system
 */
export async function storeSignIn(path: string, signIn: SignIn, signal?: AbortSignal): Promise<void> {
  const target = await targetOf(path)
  await using _lock = await lockOf(target, signal, async () => false)
  await writeSignIn(target, signIn)
}

/** The lock beside a token file; `null`: it is not needed any more, as was found while another process held it. */
async function lockOf(
  path: string,
  signal: AbortSignal | undefined,
  isNeedless: () => Promise<boolean>,
): Promise<Lock | null> {
  const end = performance.now() + LOCK_MS
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await takeLock(`${path}.lock`, { ...(signal && { signal }) })
    } catch (error) {
      if (!isLockError(error, 'HELD') || performance.now() > end) throw error
    }
    await sleep(POLL_MS, undefined, { signal })
    if (await isNeedless()) return null
  }
}
