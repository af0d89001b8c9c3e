import { setTimeout } from 'node:timers/promises'
import { isObserved, type Operation } from '@collab-etl/contract'
import { AUTH_ERROR_CODES } from '@collab-etl/contract/errors'
import { type ApiError, isApiError, isAuthError } from '../errors/api-error.ts'
import { BudgetError, CollabError } from '../errors/collab-error.ts'
import { isDecodeError } from '../errors/decode-error.ts'
import { isSignInError } from '../errors/sign-in-error.ts'
import { isTransportError, TransportError } from '../errors/transport-error.ts'
import { bodyOf } from './answer.ts'
import { RequestBudget } from './budget.ts'
import { newStats, type RequestStats } from './events.ts'
import { checkedToken, type ResolvedOptions } from './options.ts'
import { type Pace, pace, type Slots, slots } from './pace.ts'
import { type RateLimit, rateLimit } from './rate-limit.ts'
import { receive } from './receive.ts'
import { type Redactor, redactor } from './redact.ts'
import { addressed, type ServiceRequest } from './request.ts'
import { type Decision, decideRetry, failureOf } from './retry.ts'
import { SharedPace } from './shared-pace.ts'
import { showsAbsence } from './shows-absence.ts'
import { type AnswerHead, orAbort, type Transport, transport } from './transport.ts'
import { requestSpan, type WorkSpan } from './work-span.ts'

export interface Call<T> {
  readonly operation: Operation
  readonly request: ServiceRequest
  /**
   * Reads the decompressed body of a success to its end.
   * @param head its HTTP status and headers
   */
  readonly read: (chunks: AsyncIterable<Buffer>, head: AnswerHead) => AsyncIterable<T>
  readonly signal?: AbortSignal | undefined
  /** Counters of the caller, besides the service's own. */
  readonly stats?: readonly RequestStats[] | undefined
  readonly onRetry?: ((error: CollabError) => void) | undefined
  /** Retries for an error, at most those of the options. */
  readonly retriesFor?: ((error: CollabError) => number | undefined) | undefined
}

/** A part of an answer, and the attempt in which it was read. */
export interface Piece<T> {
  readonly attempt: number
  readonly value: T
}

interface Attempt {
  /** Number of the call, from 1. */
  readonly number: number
  /** From 1. */
  readonly attempt: number
  readonly signal: AbortSignal
  readonly span: WorkSpan
  /** The token that was sent. */
  token?: string
}

/** The service behind one address: sends requests within the limits, and retries them where that may help. */
export class Service {
  readonly stats: RequestStats = newStats()
  readonly budget: RequestBudget
  readonly redact: Redactor
  readonly isRateLimit: RateLimit
  readonly #options: ResolvedOptions
  readonly #transport: Transport
  readonly #slots: Slots
  readonly #pace: Pace
  /** Every token that was sent: none of them may be in an error. */
  readonly #sent = new Set<string>()
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  #refused: CollabError | undefined
  /** Operations that refused a renewed token too: for them, no token is renewed any more. */
  readonly #refusing = new Set<string>()
  #calls = 0

  constructor(options: ResolvedOptions) {
    const { tokens, concurrency, intervalMs, schedule, backoff, rateLimitCodes, signal } = options
    this.redact = redactor(() => [...this.#sent, ...(tokens.secrets ?? [])])
    this.isRateLimit = rateLimit(rateLimitCodes)
    this.#options = options
    this.#transport = transport(options)
    this.#slots = slots(concurrency)
    const clock = { spreadMs: backoff.baseMs, now: () => performance.now(), sleep, random: Math.random }
    const ask = schedule?.budgetLeft?.bind(schedule) ?? null
    this.budget = new RequestBudget(options, this.stats, ask)
    this.#pace =
      schedule === undefined
        ? pace({ ...clock, intervalMs })
        : new SharedPace(schedule, clock, (left) => this.budget.note(left))
    const ends = [this.#ending.signal, this.budget.ended]
    this.#signal = AbortSignal.any(signal === undefined ? ends : [...ends, signal])
  }

  /**
   * Makes a call, with as many attempts as it takes. Parts of an attempt that failed have been emitted already; a later
   * attempt emits all parts again, from the start. Leaving the iteration aborts the request.
   */
  async *call<T>(call: Call<T>): AsyncGenerator<Piece<T>> {
    const signal = call.signal === undefined ? this.#signal : AbortSignal.any([this.#signal, call.signal])
    const number = ++this.#calls
    const span = requestSpan(call.operation, call.request, this.#options.host)
    let attempt = 1
    let renewals = 0
    let isRenewed = false
    try {
      for (; ; attempt++) {
        const current: Attempt = { number, attempt, signal, span }
        try {
          for await (const value of this.#attempt(call, current)) yield { attempt, value }
          return
        } catch (error) {
          const failure = await this.#renewToken(error, isRenewed, call, current)
          isRenewed = failure === null
          if (isRenewed) renewals += 1
          else await this.#waitToRetry(this.#judge(failure, call, signal), call, current, attempt - renewals)
        }
      }
    } catch (error) {
      // an operation that need not be offered has not failed where it is not
      if (!isObserved(call.operation.id) || !showsAbsence(error)) span.fail(error)
      throw error
    } finally {
      if (attempt > 1) span.set({ 'http.request.resend_count': attempt - 1 })
      span.end()
    }
  }

  /** Aborts all calls; later calls fail. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.#transport.close()
  }

  async *#attempt<T>(call: Call<T>, current: Attempt): AsyncGenerator<T> {
    const { number, attempt, signal, span } = current
    const { operation, request, read } = call
    const { origin, host, timeoutSeconds, onEvent } = this.#options
    const { redact, isRateLimit } = this
    const event = { operation: operation.id, call: number, attempt }
    const release = await this.#slots.acquire(signal)
    try {
      await this.#pace.turn(signal)
      const token = await this.#token(signal)
      // from here to the count nothing waits: otherwise other requests might begin in between
      if (!this.budget.mayStart) throw new BudgetError()
      current.token = token
      const started = performance.now()
      let bytes = 0
      this.#count(call, 'requests', 1)
      onEvent({ type: 'request', ...event })
      span.event('attempt', { 'collab.attempt': attempt })
      const exchange = { operation: operation.id, host, timeoutSeconds, redact }
      const sent = addressed(request, { ...this.#options, token })
      const answer = await this.#transport.send(sent, exchange, signal, (more) => {
        bytes += more
        this.#count(call, 'bytes', more)
      })
      const { status } = answer
      span.set({ 'http.response.status_code': status })
      try {
        const chunks = await receive(answer.chunks, release)
        yield* read(await bodyOf({ ...answer, chunks }, { operation, origin, redact, isRateLimit }), answer)
      } finally {
        answer.discard()
      }
      onEvent({ type: 'response', ...event, status, bytes, durationMs: performance.now() - started })
    } finally {
      release()
    }
  }

  /** The token for a request. A renewal that is under way continues after an abort: it must be stored. */
  async #token(signal: AbortSignal): Promise<string> {
    const { tokens, tokenIn } = this.#options
    const token = checkedToken(await orAbort(tokens.current(), signal), tokenIn)
    this.#sent.add(token)
    return token
  }

  /**
   * Replaces the token that the service refused; a refused POST did nothing.
   * @param isSecond whether the refused token has just been renewed: this refusal is final
   * @returns the error that remains; `null`: there is another token
   */
  async #renewToken(error: unknown, isSecond: boolean, call: Call<unknown>, current: Attempt): Promise<unknown> {
    const { token, signal, number, attempt } = current
    const { id } = call.operation
    if (!isTokenRefusal(error) || this.#refused !== undefined || token === undefined) return error
    if (isSecond) this.#refusing.add(id)
    if (this.#refusing.has(id)) return error
    try {
      if ((await orAbort(this.#options.tokens.renew(token), signal)) === undefined) return error
    } catch (failure) {
      if (!error.isObserved || !isSignInError(failure)) return failure
      this.#refusing.add(id) // the operation says nothing about the token, which may be valid
      return error
    }
    const event = { operation: id, call: number, attempt, errorCode: error.errorCode }
    this.#options.onEvent({
      type: 'retry',
      ...event,
      delayMs: 0,
      message: 'the token was refused and has been renewed',
    })
    call.onRetry?.(error)
    this.#count(call, 'retries', 1)
    return null
  }

  /** The error for the caller. A refused token ends the client: all calls fail with that error. */
  #judge(error: unknown, { operation }: Pick<Call<unknown>, 'operation'>, signal: AbortSignal): unknown {
    if (this.#refused === undefined && isAuthError(error)) {
      this.#refused = error
      this.#ending.abort()
    }
    if (this.#refused !== undefined) return this.#refused
    if (signal.aborted) {
      if (signal.reason === this.budget.ended.reason && !this.#ending.signal.aborted) return new BudgetError()
      const message = this.#ending.signal.aborted ? 'the client was closed' : 'aborted'
      const cause = this.#ending.signal.aborted ? undefined : this.redact.cause(signal.reason)
      return new TransportError(message, { operation: operation.id, kind: 'aborted', cause })
    }
    return isDecodeError(error) ? error.of(operation.id) : error
  }

  /** @param tries attempts that failed for another reason than the token */
  async #waitToRetry(
    error: unknown,
    call: Call<unknown>,
    { number, attempt, signal, span }: Attempt,
    tries: number,
  ): Promise<void> {
    // Any other error is a mistake in the program, here or in a hook: a retry does not help.
    if (!(error instanceof CollabError)) throw error
    const { backoff, onEvent } = this.#options
    const retries = Math.min(call.retriesFor?.(error) ?? Infinity, this.#options.retries)
    const { operation, request } = call
    const failure = failureOf(error)
    const event = { operation: operation.id, call: number, attempt }
    const decision = decideRetry({ method: request.method, attempt: tries, retries, failure }, backoff, Math.random)
    this.#pauseAll(error, event, decision)
    if (!decision.retry) throw error
    const { delayMs } = decision
    onEvent({ type: 'retry', ...event, delayMs, errorCode: error.errorCode, message: error.message })
    span.event('retry', { 'error.type': error.errorCode, 'collab.delay_ms': delayMs })
    call.onRetry?.(error)
    this.#count(call, 'retries', 1)
    await sleep(delayMs, signal).catch(() => {
      throw this.#judge(signal.reason, call, signal)
    })
  }

  /** A rate limit applies to all requests with the token. Without `Retry-After`, all of them wait for the back-off of the one that was refused. */
  #pauseAll(error: CollabError, event: { operation: string; call: number; attempt: number }, decision: Decision): void {
    if (!(isApiError(error) || isTransportError(error)) || !error.rateLimited || isAuthError(error)) return
    const { retryAfterMs = decision.retry ? decision.delayMs : 0 } = error
    const delayMs = Math.min(retryAfterMs, this.#options.backoff.retryAfterMaxMs)
    if (delayMs === 0) return
    this.#pace.pause(delayMs)
    this.#options.onEvent({ type: 'pause', ...event, delayMs })
  }

  #count(call: Call<unknown>, what: keyof RequestStats, by: number): void {
    for (const stats of [this.stats, ...(call.stats ?? [])]) stats[what] += by
  }
}

/** Whether an answer refuses the token. That of an operation that is not documented may mean it, so that one renewal is tried. */
function isTokenRefusal(error: unknown): error is ApiError | TransportError {
  return isApiError(error, ...AUTH_ERROR_CODES) || (isAuthError(error) && !isSignInError(error))
}

/** A longer timer than this (24 days) ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  for (let rest = ms; rest > 0; rest -= LONGEST_TIMER_MS) {
    await setTimeout(Math.min(rest, LONGEST_TIMER_MS), undefined, { signal })
  }
}
