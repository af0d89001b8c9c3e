import { NOT_ALLOWED, type Reason, type Scope, type ScopeResult, type ScopeSink } from '@collab-etl/contract/streams'
import { isAuthError, isNotAllowed } from '../errors/api-error.ts'
import { isCollabError } from '../errors/collab-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import { failureOf, isTransient } from '../http/retry.ts'
import { WorkSpan } from '../http/work-span.ts'
import { type Ending, ScopeReading, SinkFailure } from './scope-reading.ts'

/** Scopes that are read at the same time, and the error that ends all of them. */
export class ScopeRun {
  readonly #sink: ScopeSink
  readonly #stop = new AbortController()
  /** Signal for each call: aborted from outside, or because the reading ends early. */
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

  /** Why all scopes are skipped; `undefined` if they are not. */
  get skipReason(): Ending['error'] {
    return this.#skipped?.error
  }

  open(scope: Scope): ScopeReading {
    return new ScopeReading(scope, this.#sink)
  }

  /** Reads a scope. A failure is its ending; `check` throws a failure that ends all scopes. */
  async read(scope: Scope, read: (reading: ScopeReading) => Promise<Ending>): Promise<UnendedScope> {
    const reading = this.open(scope)
    if (this.#skipped !== null) return { reading, ending: this.#skipped }
    const span = streamSpan(scope)
    const ending = await span.within(() => read(reading)).catch((error: unknown) => this.failure(error))
    endStreamSpan(span, { reading, ending })
    return { reading, ending }
  }

  /** Whether an error affects more than one item: all scopes, or, if it is not the error of a request, its own scope. */
  isBeyondItem(error: unknown): boolean {
    return !isCollabError(error) || endsEverything(error, this.signal)
  }

  /** The ending of a scope that failed with an error. */
  failure(error: unknown): Ending {
    const ends = error instanceof SinkFailure || (this.#skipped === null && endsEverything(error, this.signal))
    if (ends) this.#endAll(error instanceof SinkFailure ? error.cause : error)
    if (isNotAllowed(error)) return notAllowed(error)
    return { status: 'failed', error: describe(error) }
  }

  /** Ends all scopes as skipped and aborts their requests. */
  skip(error: Reason): void {
    this.#skipped ??= { status: 'skipped', error }
    this.#stop.abort()
  }

  /** Throws the error that ended all scopes, if there is one. */
  check(): void {
    if (this.#fatal !== null) throw this.#fatal.error
  }

  /** Reports to the sink how a scope ended. */
  async end({ reading, ending }: UnendedScope): Promise<ScopeResult> {
    this.check()
    if (this.#skipped !== null || ending.status === 'skipped' || ending.status === 'carried') reading.read = 0
    const result = reading.result(ending.fromList === true ? ending : (this.#skipped ?? ending))
    await this.#sink.end(result).catch((error: unknown) => this.#endAll(error))
    return result
  }

  #endAll(error: unknown): void {
    this.#fatal ??= { error }
    this.#stop.abort()
  }
}

export function streamSpan({ pid, stream }: Scope): WorkSpan {
  return new WorkSpan(`stream ${stream}`, {
    'collab.stream': stream,
    ...(pid !== null && { 'collab.project.id': pid }),
  })
}

export function endStreamSpan(span: WorkSpan, { reading, ending: { status, error } }: UnendedScope): void {
  const { pages, read, stats } = reading
  span.set({ 'collab.scope.status': status, 'collab.pages': pages, 'collab.records': read })
  span.set({ 'collab.requests': stats.requests, 'collab.retries': stats.retries, 'collab.bytes': stats.bytes })
  if (status === 'failed') span.failWith(error ?? { code: 'unknown' })
  span.end()
}

/** The ending of a scope that the token may not read. */
export function notAllowed(error: unknown): Ending {
  const message = `the token may not read it: ${describe(error).message}`
  return { status: 'skipped', error: { code: NOT_ALLOWED, message } }
}

/** A scope that was read and not reported to the sink yet. */
export interface UnendedScope {
  readonly reading: ScopeReading
  readonly ending: Ending
}

/** A refused token and an abort end all scopes. */
function endsEverything(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || isAuthError(error) || isTransportError(error, 'aborted')
}

export function retryableIf(is: boolean): Pick<Reason, 'retryable'> {
  return is ? { retryable: true } : {}
}

/** An error as it is stored for scopes and items. */
export function describe(error: unknown): Reason {
  if (isCollabError(error))
    return { code: error.errorCode, message: error.message, ...retryableIf(isTransient(failureOf(error))) }
  return { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) }
}
