import { newStats } from '../http/stats.ts'
import { isOfList, type RecordLoss } from '../loss.ts'
import type { ScopeSink, StreamBatch } from './batch.ts'
import { misplaced } from './misplaced.ts'
import type { Scope, ScopeResult, UnreadItem } from './scope.ts'

/** How a scope ended, as far as its own reading can tell. */
export type Ending = Pick<ScopeResult, 'status' | 'range' | 'beyond' | 'found' | 'unread' | 'fromList' | 'error'>

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
  /** Losses of the list itself that were handed on: pages and windows may show one several times. */
  readonly #ofList = new Set<string>()
  #unkeyed: UnreadItem[] = []
  #last: Promise<void> = Promise.resolve()

  constructor(scope: Scope, sink: ScopeSink) {
    this.scope = scope
    this.#sink = sink
  }

  /** Hands a batch on, after those before it; an empty one is not worth handing on. */
  async write(batch: StreamBatch): Promise<void> {
    const elsewhere = misplaced(this.scope.pid, batch)
    const losses = batch.losses.some(isOfList) ? batch.losses.filter((loss) => this.#isNew(loss)) : batch.losses
    if (batch.records.length === 0 && losses.length === 0) return
    if (!NO_RECORDS.has(batch.kind)) this.read += batch.records.length
    const whole = { ...batch, losses: [...losses, ...elsewhere] }
    await this.#inTurn(() => this.#sink.write(this.scope, whole))
  }

  /** Declares all that was handed on void. */
  async restart(): Promise<void> {
    this.read = 0
    this.#ofList.clear()
    this.#unkeyed = []
    await this.#inTurn(() => this.#sink.restart(this.scope))
  }

  result(ending: Ending): ScopeResult {
    const { scope, pages, read } = this
    const { requests, bytes } = this.stats
    const whole = this.#withUnkeyed(ending)
    return { scope, ...whole, pages, read, requests, bytes, startedAt: this.#startedAt, finishedAt: new Date() }
  }

  /** Whether a loss of the list itself comes for the first time. A record without a key is an item that could not be read. */
  #isNew(loss: RecordLoss): boolean {
    if (!isOfList(loss)) return true
    const { recordKey, kind, original } = loss
    const known = this.#ofList.size
    this.#ofList.add(JSON.stringify([kind, recordKey, original]))
    if (this.#ofList.size === known) return false
    if (kind === 'unkeyed') {
      const error = {
        code: 'UNKEYED',
        message: 'the record has no readable key; the table losses holds it as it was sent',
      }
      this.#unkeyed.push({ id: recordKey, source: 'list', error, isFromText: false })
    }
    return true
  }

  /** What came without a key may be any of the stored records: none of these is gone. */
  #withUnkeyed(ending: Ending): Ending {
    const count = this.#unkeyed.length
    if (count === 0 || (ending.status !== 'complete' && ending.status !== 'partial')) return ending
    const unread = [...(ending.unread ?? []), ...this.#unkeyed]
    if (ending.status === 'partial') return { ...ending, unread }
    const message = `${count} of its records have no readable key and could not be stored: see unread_items`
    return { ...ending, status: 'partial', unread, error: { code: 'UNKEYED', message } }
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
