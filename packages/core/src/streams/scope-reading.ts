import {
  type ConversionIssue,
  isOfList,
  isUnreadElement,
  type KnownRecords,
  type Scope,
  type ScopeResult,
  type ScopeSink,
  type StreamBatch,
  type UnreadItem,
} from '@collab-etl/contract/streams'
import { newStats } from '../http/events.ts'
import { misplaced } from './batch-records.ts'

export type Ending = Pick<
  ScopeResult,
  | 'status'
  | 'range'
  | 'beyond'
  | 'byId'
  | 'suspicious'
  | 'carried'
  | 'discovered'
  | 'unread'
  | 'fromList'
  | 'lacksProjects'
  | 'error'
>

/** Kinds that are ids, not records of the service. */
const NO_RECORDS: ReadonlySet<StreamBatch['kind']> = new Set([
  'known_post',
  'known_file',
  'not_found_post',
  'not_found_file',
  'task_comments_read',
])

const NO_KEY = {
  code: 'UNKEYED',
  message: 'the record has no readable key; the table losses holds it as it was sent',
}
const TOO_DEEP = {
  code: 'TOO_LARGE',
  message: 'the record is nested deeper than 1000 levels; the table losses holds the rest of it',
}

/** The reading of one scope: counts requests and emitted records. */
export class ScopeReading {
  readonly scope: Scope
  /** Counters for each call made for this scope. */
  readonly stats = newStats()
  /** Pages, windows or ids read. */
  pages = 0
  /** Records emitted; a walk corrects it if some were emitted more than once. */
  read = 0
  readonly #sink: ScopeSink
  readonly #startedAt = new Date()
  /** Losses of the list itself that were emitted: several pages or windows may report the same one. */
  readonly #ofList = new Set<string>()
  #unreadRecords: UnreadItem[] = []
  #last: Promise<void> = Promise.resolve()

  constructor(scope: Scope, sink: ScopeSink) {
    this.scope = scope
    this.#sink = sink
  }

  /** Recognises the records that the sink has stored by their bytes. Asks the sink after its earlier calls have ended. */
  async knownRecords(): Promise<KnownRecords | null> {
    let stored: KnownRecords | null = null
    await this.#inTurn(async () => {
      stored = (await this.#sink.knownRecords?.(this.scope)) ?? null
    })
    return stored
  }

  /** Emits a batch, after the earlier ones; an empty one is dropped. */
  async write(batch: StreamBatch): Promise<void> {
    const elsewhere = misplaced(this.scope.pid, batch)
    const losses = batch.losses.some(isOfList) ? batch.losses.filter((loss) => this.#isNew(loss)) : batch.losses
    const count = batch.records.length + (batch.unchanged?.length ?? 0)
    if (count === 0 && losses.length === 0) return
    if (!NO_RECORDS.has(batch.kind)) this.read += count
    const whole = { ...batch, losses: [...losses, ...elsewhere] }
    await this.#inTurn(() => this.#sink.write(this.scope, whole))
  }

  /** Discards everything emitted so far. */
  async restart(): Promise<void> {
    this.read = 0
    this.#ofList.clear()
    this.#unreadRecords = []
    await this.#inTurn(() => this.#sink.restart(this.scope))
  }

  result(ending: Ending): ScopeResult {
    const { scope, pages, read } = this
    const { requests, bytes } = this.stats
    const whole = withUnreadElements(ending, this.#unreadRecords)
    return { scope, ...whole, pages, read, requests, bytes, startedAt: this.#startedAt, finishedAt: new Date() }
  }

  /** Whether a loss of the list itself is new. Each element that is not a readable record is an unread item. */
  #isNew(loss: ConversionIssue): boolean {
    if (!isOfList(loss)) return true
    const { recordKey, kind, original } = loss
    const known = this.#ofList.size
    this.#ofList.add(JSON.stringify([kind, recordKey, original]))
    if (this.#ofList.size === known) return false
    this.#unreadRecords.push(...unreadElements([loss]))
    return true
  }

  async #inTurn(call: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(call)
    // The next call waits for this one to end; `turn` reports a failure.
    this.#last = turn.catch(() => undefined)
    try {
      await turn
    } catch (cause) {
      throw new SinkFailure(cause)
    }
  }
}

/** The sink failed: this ends the reading of all scopes. */
export class SinkFailure extends Error {
  override readonly name = 'SinkFailure'

  constructor(cause: unknown) {
    super('the sink failed', { cause })
  }
}

/** The elements of a list that are not readable records, as unread items. */
export function unreadElements(losses: readonly ConversionIssue[]): UnreadItem[] {
  return losses.filter(isUnreadElement).map(({ recordKey, kind }) => {
    return { id: recordKey, source: 'list', error: kind === 'unkeyed' ? NO_KEY : TOO_DEEP, isFromText: false }
  })
}

/** The ending of a list with unreadable elements. Each may be any of the stored records, so no record is marked deleted. */
export function withUnreadElements(ending: Ending, elements: readonly UnreadItem[]): Ending {
  const count = elements.length
  if (count === 0 || (ending.status !== 'complete' && ending.status !== 'partial')) return ending
  const unread = [...(ending.unread ?? []), ...elements]
  if (ending.status === 'partial') return { ...ending, unread }
  const isDeep = elements.every(({ error }) => error === TOO_DEEP)
  const why = isDeep ? 'are nested too deep' : 'have no readable key, or are nested too deep,'
  const message = `${count} of its records ${why} and could not be stored: see unread_items`
  return { ...ending, status: 'partial', unread, error: { code: isDeep ? TOO_DEEP.code : NO_KEY.code, message } }
}
