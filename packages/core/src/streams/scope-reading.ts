import { newStats } from '../http/stats.ts'
import type { ScopeSink, StreamBatch } from './batch.ts'
import { misplaced } from './misplaced.ts'
import type { Scope, ScopeResult } from './scope.ts'

/** How a scope ended, as far as its own reading can tell. */
export type Ending = Pick<ScopeResult, 'status' | 'range' | 'found' | 'unread' | 'fromList' | 'error'>

/** Kinds that are ids, not records of the service. */
const NO_RECORDS: ReadonlySet<StreamBatch['kind']> = new Set(['known_post', 'known_file', 'gone_post', 'gone_file'])

/** The reading of one scope: counts what it takes and what it hands on. */
export class ScopeReading {
  readonly scope: Scope
  /** To be given to each call made for this scope. */
  readonly stats = newStats()
  /** Pages, windows or ids read. */
  pages = 0
  /** Records handed on; where some came more than once, the walk knows better. */
  read = 0
  readonly #sink: ScopeSink
  readonly #startedAt = new Date()
  #last: Promise<void> = Promise.resolve()

  constructor(scope: Scope, sink: ScopeSink) {
    this.scope = scope
    this.#sink = sink
  }

  /** Hands a batch on, after those before it; an empty one is not worth handing on. */
  async write(batch: StreamBatch): Promise<void> {
    const elsewhere = misplaced(this.scope.pid, batch)
    if (batch.records.length === 0 && batch.losses.length === 0) return
    if (!NO_RECORDS.has(batch.kind)) this.read += batch.records.length
    const whole = elsewhere.length === 0 ? batch : { ...batch, losses: [...batch.losses, ...elsewhere] }
    await this.#inTurn(() => this.#sink.write(this.scope, whole))
  }

  /** Declares all that was handed on void. */
  async restart(): Promise<void> {
    this.read = 0
    await this.#inTurn(() => this.#sink.restart(this.scope))
  }

  result(ending: Ending): ScopeResult {
    const { scope, pages, read } = this
    const { requests, bytes } = this.stats
    return { scope, ...ending, pages, read, requests, bytes, startedAt: this.#startedAt, finishedAt: new Date() }
  }

  async #inTurn(call: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(call)
    // The next call waits for this one to end; that it failed is told by `turn`.
    this.#last = turn.catch(() => undefined)
    try {
      await turn
    } catch (cause) {
      throw new SinkFailure(cause)
    }
  }
}

/** What was read could not be handed on: no failure of the scope, but the end of the reading. */
export class SinkFailure extends Error {
  override readonly name = 'SinkFailure'

  constructor(cause: unknown) {
    super('what was read could not be handed on', { cause })
  }
}
