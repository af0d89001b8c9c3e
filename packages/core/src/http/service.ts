import { setTimeout } from 'node:timers/promises'
import { isObserved, type Operation } from '@collab-etl/contract'
import { isApiError, isAuthError, refusesToken } from '../errors/api-error.ts'
import { BudgetError, CollabError, isCollabError } from '../errors/collab-error.ts'
import { isDecodeError } from '../errors/decode-error.ts'
import { isSignInError, SignInError } from '../errors/sign-in-error.ts'
import { isTransportError, TransportError } from '../errors/transport-error.ts'
import { AccountRoute } from './account-route.ts'
import { AccountState, Accounts } from './accounts.ts'
import { bodyOf } from './answer.ts'
import { RequestBudget } from './budget.ts'
import { type AttemptEvent, newStats, type RequestStats } from './events.ts'
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
  /** The project that it concerns. */
  readonly pid?: string | undefined
  /** Asks this account alone. */
  readonly account?: string | undefined
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
  readonly account: AccountState
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
  readonly accounts: Accounts
  readonly #options: ResolvedOptions
  readonly #transport: Transport
  readonly #slots: Slots
  readonly #pace: Pace
  /** Every token that was sent: none of them may be in an error. */
  readonly #sent = new Set<string>()
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  #refused: CollabError | undefined
  #calls = 0

  constructor(options: ResolvedOptions) {
    const { accounts, concurrency, intervalMs, schedule, backoff, rateLimitCodes, signal } = options
    this.redact = redactor(() => [...this.#sent, ...accounts.flatMap(({ tokens }) => [...(tokens.secrets ?? [])])])
    this.isRateLimit = rateLimit(rateLimitCodes)
    this.#options = options
    this.#transport = transport(options)
    this.#slots = slots(concurrency)
    const clock = { spreadMs: backoff.baseMs, now: () => performance.now(), sleep, random: Math.random }
    const paceOf = ({ intervalMs, schedule }: (typeof accounts)[number]) => {
      if (schedule !== undefined) return new SharedPace(schedule, clock)
      return intervalMs === null ? null : pace({ ...clock, intervalMs })
    }
    this.accounts = new Accounts(accounts.map((of) => new AccountState({ ...of, pace: paceOf(of) })))
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
   * Makes a call, with as many attempts as it takes, of as many accounts as it takes. Parts of an attempt that failed have been emitted
   * already; a later attempt emits all parts again, from the start. Leaving the iteration aborts the request.
   */
  async *call<T>(call: Call<T>): AsyncGenerator<Piece<T>> {
    const signal = call.signal === undefined ? this.#signal : AbortSignal.any([this.#signal, call.signal])
    const number = ++this.#calls
    const span = requestSpan(call.operation, call.request, this.#options.host)
    let attempt = 1
    // attempts of other accounts, and those after which the token was renewed
    let before = 0
    let isRenewed = false
    try {
      const route = new AccountRoute(this.accounts, call)
      let account = this.#first(route)
      for (; ; attempt++) {
        const current: Attempt = { number, attempt, account, signal, span }
        try {
          for await (const value of this.#attempt(call, current)) yield { attempt, value }
          route.answered(account)
          return
        } catch (error) {
          const failure = await this.#renewToken(error, isRenewed, call, current)
          isRenewed = failure === null
          if (isRenewed) before += 1
          else {
            const next = await this.#waitToRetry(failure, { call, route, current, tries: attempt - before })
            if (next !== account) before = attempt
            account = next
          }
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
    const { account, signal, span } = current
    const { operation, request, read } = call
    const { origin, host, timeoutSeconds, onEvent } = this.#options
    const { redact, isRateLimit } = this
    const event = this.#eventOf(call, current)
    const release = await this.#slot(account, signal)
    try {
      await this.#pace.turn(signal)
      const token = await this.#token(account, signal)
      // from here to the count nothing waits: otherwise other requests might begin in between
      if (!this.budget.mayStart) throw new BudgetError()
      current.token = token
      const started = performance.now()
      let bytes = 0
      this.#count(call, 'requests', 1)
      account.requests += 1
      onEvent({ type: 'request', ...event })
      span.event('attempt', { 'collab.attempt': current.attempt })
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

  /** Waits for a slot. The requests of an account that has to wait occupy none. */
  async #slot({ pace }: AccountState, signal: AbortSignal): Promise<() => void> {
    for (;;) {
      await pace?.turn(signal)
      const release = await this.#slots.acquire(signal)
      if (pace?.isPaused !== true) return release
      release()
    }
  }

  /** The token for a request. A renewal that is under way continues after an abort: it must be stored. */
  async #token({ tokens }: AccountState, signal: AbortSignal): Promise<string> {
    try {
      const token = checkedToken(await orAbort(tokens.current(), signal), this.#options.tokenIn)
      this.#sent.add(token)
      return token
    } catch (error) {
      if (signal.aborted || isCollabError(error) || !this.accounts.areSeveral) throw error
      throw new SignInError('unusable', error instanceof Error ? error.message : String(error), error)
    }
  }

  /**
   * Replaces the token that the service refused; a refused POST did nothing.
   * @param isSecond whether the refused token has just been renewed: this refusal is final
   * @returns the error that remains; `null`: there is another token
   */
  async #renewToken(error: unknown, isSecond: boolean, call: Call<unknown>, current: Attempt): Promise<unknown> {
    const { token, signal, account } = current
    const { tokens, refusing } = account
    const { id } = call.operation
    if (!refusesToken(error) || this.#refused !== undefined || token === undefined) return error
    if (isSecond) refusing.add(id)
    if (refusing.has(id)) return error
    try {
      if ((await orAbort(tokens.renew(token), signal)) === undefined) return error
    } catch (failure) {
      if (!error.isObserved || !isSignInError(failure)) return failure
      refusing.add(id) // the operation says nothing about the token, which may be valid
      return error
    }
    this.#options.onEvent({
      type: 'retry',
      ...this.#eventOf(call, current),
      errorCode: error.errorCode,
      delayMs: 0,
      message: 'the token was refused and has been renewed',
    })
    call.onRetry?.(error)
    this.#count(call, 'retries', 1)
    return null
  }

  /** The account to ask first. @throws the error for the caller, if there is none */
  #first(route: AccountRoute): AccountState {
    if (this.#refused !== undefined) throw this.#refused
    return route.next()
  }

  /** A refused token ends the use of its account, that of the last account the client: all calls fail with that error. */
  #refuse(account: AccountState, error: CollabError): CollabError {
    if (this.#refused !== undefined) return this.#refused
    const { accounts } = this
    const failure = accounts.areSeveral ? accounts.fail(account, error) : null
    if (failure !== null && accounts.usable.length > 0) return failure
    this.#refused = failure === null ? error : accounts.allFailed()
    this.#ending.abort()
    return this.#refused
  }

  /** The error for the caller. */
  #judge(error: unknown, { operation }: Call<unknown>, { account, signal }: Attempt): unknown {
    if (isAuthError(error)) return this.#refuse(account, error)
    if (this.#refused !== undefined) return this.#refused
    if (signal.aborted) {
      if (signal.reason === this.budget.ended.reason && !this.#ending.signal.aborted) return new BudgetError()
      const message = this.#ending.signal.aborted ? 'the client was closed' : 'aborted'
      const cause = this.#ending.signal.aborted ? undefined : this.redact.cause(signal.reason)
      return new TransportError(message, { operation: operation.id, kind: 'aborted', cause })
    }
    return isDecodeError(error) ? error.of(operation.id) : error
  }

  /**
   * @param tries attempts of this account that failed for another reason than the token
   * @returns the account to ask next: the same one, or another
   * @throws the error for the caller, if neither helps
   */
  async #waitToRetry(
    failed: unknown,
    { call, route, current, tries }: { call: Call<unknown>; route: AccountRoute; current: Attempt; tries: number },
  ): Promise<AccountState> {
    const error = this.#judge(failed, call, current)
    // Any other error is a mistake in the program, here or in a hook: a retry does not help.
    if (!(error instanceof CollabError)) throw error
    const { backoff, onEvent } = this.#options
    const { account, signal, span } = current
    const retries = Math.min(call.retriesFor?.(error) ?? Infinity, this.#options.retries, route.retries)
    const failure = failureOf(error)
    const event = this.#eventOf(call, current)
    const { method } = call.request
    const decision = decideRetry({ method, attempt: tries, retries, failure }, backoff, Math.random)
    this.#pause(error, account, event, decision)
    if (!decision.retry) {
      const final = isSignInError(error) && this.accounts.areSeveral ? this.#refuse(account, error) : error
      if (this.#refused !== undefined || !route.failed(account, final)) throw final
      const next = route.next()
      onEvent({ type: 'failover', ...event, next: next.name, errorCode: final.errorCode, message: final.message })
      return next
    }
    const { delayMs } = decision
    onEvent({ type: 'retry', ...event, delayMs, errorCode: error.errorCode, message: error.message })
    span.event('retry', { 'error.type': error.errorCode, 'collab.delay_ms': delayMs })
    call.onRetry?.(error)
    this.#count(call, 'retries', 1)
    await sleep(delayMs, signal).catch(() => {
      throw this.#judge(signal.reason, call, current)
    })
    return account
  }

  #eventOf({ operation }: Call<unknown>, { number, attempt, account }: Attempt) {
    return {
      operation: operation.id,
      call: number,
      attempt,
      ...(this.accounts.areSeveral && { account: account.name }),
    }
  }

  /**
   * A rate limit applies to all requests, or to those of the account. Without `Retry-After`, they wait for the back-off of the one that was
   * refused.
   */
  #pause(error: CollabError, account: AccountState, event: AttemptEvent, decision: Decision): void {
    if (!(isApiError(error) || isTransportError(error)) || !error.rateLimited || isAuthError(error)) return
    const { retryAfterMs = decision.retry ? decision.delayMs : 0 } = error
    const delayMs = Math.min(retryAfterMs, this.#options.backoff.retryAfterMaxMs)
    if (delayMs === 0) return
    const { limitedPer } = this.#options
    const limited = limitedPer === 'account' ? (account.pace ?? this.#pace) : this.#pace
    limited.pause(delayMs)
    this.#options.onEvent({ type: 'pause', ...event, delayMs })
  }

  #count(call: Call<unknown>, what: keyof RequestStats, by: number): void {
    for (const stats of [this.stats, ...(call.stats ?? [])]) stats[what] += by
  }
}

/** A longer timer than this (24 days) ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  for (let rest = ms; rest > 0; rest -= LONGEST_TIMER_MS) {
    await setTimeout(Math.min(rest, LONGEST_TIMER_MS), undefined, { signal })
  }
}
