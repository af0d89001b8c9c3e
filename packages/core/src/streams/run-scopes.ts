import type { Scope, ScopeResult, ScopeSink } from '@collab-etl/contract/streams'
import { isAuthError, isNotAllowed } from '../errors/api-error.ts'
import { isCollabError } from '../errors/collab-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import { type Ending, ScopeReading, SinkFailure } from './scope-reading.ts'

/** Scopes that are read at the same time, and what ends all of them. */
export class ScopeRun {
  readonly #sink: ScopeSink
  readonly #stop = new AbortController()
  /** To be given to each call: aborted from outside, or because the reading ends early. */
  readonly signal: AbortSignal
  #skipped: Ending | null = null
  #fatal: { readonly error: unknown } | null = null

  constructor(sink: ScopeSink, signal: AbortSignal | undefined) {
    this.#sink = sink
    this.signal = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
  }

  get skipped(): boolean {
    return this.#skipped !== null
  }

  open(scope: Scope): ScopeReading {
    return new ScopeReading(scope, this.#sink)
  }

  /** Reads a scope. A failure is its ending; one that ends everything is thrown by `check` as well. */
  async read(scope: Scope, read: (reading: ScopeReading) => Promise<Ending>): Promise<UnendedScope> {
    const reading = this.open(scope)
    if (this.#skipped !== null) return { reading, ending: this.#skipped }
    const ending = await read(reading).catch((error: unknown) => this.failure(error))
    return { reading, ending }
  }

  /** Whether an error ends more than the item that it struck: all scopes, or, as it comes from no request, its own. */
  isBeyondItem(error: unknown): boolean {
    return !isCollabError(error) || endsEverything(error, this.signal)
  }

  /** How a scope ends that an error broke off. */
  failure(error: unknown): Ending {
    const ends = error instanceof SinkFailure || (this.#skipped === null && endsEverything(error, this.signal))
    if (ends) this.#endAll(error instanceof SinkFailure ? error.cause : error)
    if (isNotAllowed(error)) return notAllowed(error)
    return { status: 'failed', error: describe(error) }
  }

  /** Ends all scopes as skipped: what is under way is aborted. */
  skip(error: { code: string; message: string }): void {
    this.#skipped ??= { status: 'skipped', error }
    this.#stop.abort()
  }

  /** Throws the error that ended everything, if one did. */
  check(): void {
    if (this.#fatal !== null) throw this.#fatal.error
  }

  /** Tells the sink how a scope ended. */
  async end({ reading, ending }: UnendedScope): Promise<ScopeResult> {
    this.check()
    if (this.#skipped !== null || ending.status === 'skipped') reading.read = 0
    const result = reading.result(ending.fromList === true ? ending : (this.#skipped ?? ending))
    await this.#sink.end(result).catch((error: unknown) => this.#endAll(error))
    return result
  }

  #endAll(error: unknown): void {
    this.#fatal ??= { error }
    this.#stop.abort()
  }
}

/** How a scope ends that the service does not let this token read. */
export function notAllowed(error: unknown): Ending {
  const message = `the token may not read it: ${describe(error).message}`
  return { status: 'skipped', error: { code: 'NOT_ALLOWED', message } }
}

/** A scope that was read, and has not been ended yet. */
export interface UnendedScope {
  readonly reading: ScopeReading
  readonly ending: Ending
}

/** A refused token and an abort are no failures of one scope. */
function endsEverything(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || isAuthError(error) || isTransportError(error, 'aborted')
}

/** An error as scopes and items name it. */
export function describe(error: unknown): { code: string; message: string } {
  if (isCollabError(error)) return { code: error.errorCode, message: error.message }
  return { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) }
}
