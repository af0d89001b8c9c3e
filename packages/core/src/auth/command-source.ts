import { spawn } from 'node:child_process'
import { SignInError, type SignInErrorKind } from '../errors/sign-in-error.ts'
import { isToken, type TokenSource } from '../http/token-source.ts'

export interface TokenCommandOptions {
  /** Called with each token as soon as it is known, so that logs can hide it. */
  readonly onSecret?: ((secret: string) => void) | undefined
  /** Milliseconds that the program may take. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined
}

const TIMEOUT_MS = 60_000

/** The first line is the token; a program that prints more than this has another purpose. */
const MAX_BYTES = 64 * 1024

/** A token that a program prints. It is run at the start, and once more after the service refused the token. */
export class TokenCommand implements TokenSource {
  readonly uid = null
  readonly secrets = new Set<string>()
  readonly #command: readonly [program: string, ...args: string[]]
  readonly #options: TokenCommandOptions
  #token: string
  #pending: Promise<void> | undefined

  private constructor(command: readonly [string, ...string[]], options: TokenCommandOptions, token: string) {
    this.#command = command
    this.#options = options
    this.#token = token
    this.#note()
  }

  /** Runs the program. @throws SignInError `unusable` */
  static async open(command: readonly [string, ...string[]], options: TokenCommandOptions = {}): Promise<TokenCommand> {
    return new TokenCommand(command, options, await run(command, options, 'unusable'))
  }

  /** The same for all processes that use this command. Holds no secret. */
  get identity(): string {
    return JSON.stringify(['command', ...this.#command])
  }

  async current(): Promise<string> {
    return this.#token
  }

  async renew(refused: string): Promise<string | undefined> {
    if (this.#token === refused) {
      this.#pending ??= this.#run().finally(() => {
        this.#pending = undefined
      })
      await this.#pending
    }
    return this.#token === refused ? undefined : this.#token
  }

  async #run(): Promise<void> {
    this.#token = await run(this.#command, this.#options, 'refused')
    this.#note()
  }

  #note(): void {
    if (this.secrets.has(this.#token)) return
    this.secrets.add(this.#token)
    this.#options.onSecret?.(this.#token)
  }
}

/** The first line of a program's output. Errors name the program and how it ended, never its output. */
async function run(
  [program, ...args]: readonly [string, ...string[]],
  { timeoutMs = TIMEOUT_MS, signal }: TokenCommandOptions,
  kind: SignInErrorKind,
): Promise<string> {
  signal?.throwIfAborted()
  const fail = (why: string) => new SignInError(kind, `token_command: ${program} ${why}`)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(program, args, { shell: false, stdio: ['ignore', 'pipe', 'ignore'] })
  const chunks: Buffer[] = []
  let length = 0
  const timer = setTimeout(() => stop(fail(`did not end within ${timeoutMs / 1000} s`)), timeoutMs)
  const stop = (reason: unknown) => {
    child.kill('SIGKILL')
    child.stdout.destroy()
    reject(reason)
  }
  const onAbort = () => stop(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > MAX_BYTES) stop(fail(`printed more than ${MAX_BYTES} bytes`))
    else chunks.push(chunk)
  })
  child.once('error', (error) => {
    reject(fail(`cannot be started (${'code' in error ? error.code : error.name})`))
  })
  child.once('close', (code, endedBy) => {
    const [line = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1)
    if (code !== 0) reject(fail(code === null ? `was ended by ${endedBy}` : `ended with exit code ${code}`))
    else if (line === '') reject(fail('printed no token in its first line'))
    else if (!isToken(line)) reject(fail('printed a first line with spaces or characters that no token has'))
    else resolve(line)
  })
  return await promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  })
}
