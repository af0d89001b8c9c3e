import { isAskableId } from '@collab-etl/contract/id'
import {
  type Carried,
  type DiscoveredId,
  POSSIBLY_CAPPED,
  type StreamName,
  type Suspicion,
  type UnreadItem,
} from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { ApiError } from '../errors/api-error.ts'
import { isBudgetError } from '../errors/collab-error.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { isNotFound } from '../errors/not-found.ts'
import type { WorkSpan } from '../http/work-span.ts'
import type { CallOptions } from '../operations/results.ts'
import { collect, elementCount } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'
import { askedTwice } from './asked-twice.ts'
import { AT_ONCE } from './at-once.ts'
import type { IdQueue, IdQueues, QueuedId } from './id-queues.ts'
import {
  addAttachments,
  batchesOf,
  fileSource,
  type Item,
  type ItemDetail,
  type ItemSource,
  postSource,
} from './item-sources.ts'
import { addCarried } from './queue-state.ts'
import { describe, endStreamSpan, type ScopeRun, streamSpan, type UnendedScope } from './run-scopes.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'
import { Breaker, budgetUsedUp, endingOf, MISSED_LINKS, notRequested } from './unread-items.ts'

/**
 * Reads the known posts, then the known files, then the items that they name, until no new id is discovered. A scope is
 * complete if each id was read or does not exist. Failures of other streams, which could have named further ids, are reported
 * by the scopes of those streams.
 */
export async function readQueues(
  streams: readonly StreamName[],
  context: {
    run: ScopeRun
    client: Client
    found: IdQueues
    pid: string
    maxMissing: number
    recentSince: ReadonlyMap<StreamName, Date>
  },
): Promise<UnendedScope[]> {
  const { run, found, pid } = context
  const readerOf = <D>(source: ItemSource<D>) => {
    const queue = found.of(source.kind)
    if (queue === undefined || !streams.includes(source.stream)) return []
    return [new QueueReader({ ...context, source, queue, reading: run.open({ pid, stream: source.stream }) })]
  }
  const readers = [...readerOf(postSource), ...readerOf(fileSource)]
  const underWay = new Set<Promise<void>>()
  for (;;) {
    for (const reader of readers) fill(reader, underWay)
    if (underWay.size === 0) break
    await Promise.race(underWay)
  }
  return Promise.all(readers.map((reader) => reader.finish()))
}

function fill(reader: { next(): Promise<void> | null }, underWay: Set<Promise<void>>): void {
  while (underWay.size < AT_ONCE) {
    const reading = reader.next()
    if (reading === null) return
    const ended: Promise<void> = reading.finally(() => underWay.delete(ended))
    underWay.add(ended)
  }
}

/** Items per emitted batch: worth staging, a few megabytes at most. */
const BATCH = 50

/** Requests per item, for its detail and its comments. An item is begun only if the budget suffices for both. */
const REQUESTS_OF_ITEM = 2

/** An item that could not be read, or only its comments. */
type Missed = Pick<DiscoveredId, 'id' | 'source'> & {
  readonly part?: '/comments'
  readonly error: UnreadItem['error']
  /** The error concerns the service rather than the item. */
  readonly isTrouble?: boolean
}

type SuspiciousItem = NonNullable<Suspicion['parents']>[number]

/** Reads the items of one queue until it is empty. An item that cannot be read does not affect the others. */
class QueueReader<D> {
  readonly #source: ItemSource<D>
  readonly #reading: ScopeReading
  readonly #run: ScopeRun
  readonly #client: Client
  readonly #queue: IdQueue
  /** Those of all kinds: items name others. */
  readonly #found: IdQueues
  readonly #pid: string
  #things: Item<D>[] = []
  #gone: string[] = []
  #readCount = 0
  #goneCount = 0
  /** Whether an item was read that the list lacks, so that it may lack others. */
  #hasUnlisted = false
  readonly #maxMissing: number
  /** The time since which a reading is recent enough to be carried; `undefined`: none is. */
  readonly #recentSince: Date | undefined
  /** Ids that were not requested because the request budget is used up; `null` if it is not. */
  #unfit: QueuedId[] | null = null
  /** Doubtful ids that do not exist or cannot be read, and those being read. */
  #misses = 0
  #doubtfulUnderWay = 0
  readonly #missed: Missed[] = []
  /** Items whose lists of comments may be cut. */
  readonly #suspicious: SuspiciousItem[] = []
  /** Requested ids that only texts name, in links that also name the project. */
  #linkedCount = 0
  /** Ids that only texts name must not block the others. */
  readonly #breakers = { sure: new Breaker(), fromText: new Breaker(), comments: new Breaker() }
  #broken: Ending | null
  readonly #span: WorkSpan

  constructor(options: {
    source: ItemSource<D>
    queue: IdQueue
    reading: ScopeReading
    run: ScopeRun
    client: Client
    found: IdQueues
    pid: string
    maxMissing: number
    recentSince: ReadonlyMap<StreamName, Date>
  }) {
    this.#source = options.source
    this.#reading = options.reading
    this.#run = options.run
    this.#client = options.client
    this.#queue = options.queue
    this.#found = options.found
    this.#pid = options.pid
    this.#maxMissing = options.maxMissing
    this.#recentSince = options.recentSince.get(options.source.stream)
    this.#broken = options.run.skipped ? { status: 'skipped' } : null
    this.#span = streamSpan(options.reading.scope)
  }

  /** Starts reading the next item; `null` if the queue is empty. The promise never rejects. */
  next(): Promise<void> | null {
    const { sure, fromText } = this.#breakers
    if (this.#broken !== null || this.#unfit !== null || sure.isOpen) return null
    const mayDoubt = this.#misses + this.#doubtfulUnderWay < this.#maxMissing && !fromText.isOpen
    const asked = this.#queue.next(mayDoubt)
    if (asked === undefined) return null
    if (this.#client.budget.left < REQUESTS_OF_ITEM) {
      this.#unfit = [asked]
      return null
    }
    const reading = this.#span.within(() => this.#read(asked))
    return reading.catch((error: unknown) => {
      if (!isBudgetError(error)) return this.#break(error)
      this.#reading.pages -= 1
      this.#unfit = [...(this.#unfit ?? []), asked]
    })
  }

  /** Emits the remaining items, once no request is pending, and returns how the scope ended. */
  async finish(): Promise<UnendedScope> {
    const { kind } = this.#source
    if (this.#breakers.sure.isOpen) {
      const error = notRequested(`${kind}s`)
      for (const { id, source } of this.#queue.takeRest()) this.#missed.push({ id, source, error })
    }
    if (this.#broken === null) await this.#flush().catch((error: unknown) => this.#break(error))
    this.#noteListing()
    const isListed = this.#isListed
    const discovered = { ...this.#queue.counts(), read: this.#readCount, notFound: this.#goneCount, isListed }
    const left = this.#isOutage ? discovered.left : 0
    const carried = addCarried(this.#queue.takeCarried(), this.#carryUnfit())
    const [first] = this.#suspicious
    const length = first?.length ?? this.#queue.listing?.suspicious
    const suspicious = length === undefined ? undefined : { length, parents: this.#suspicious }
    const ending = this.#broken ?? {
      ...endingOf(kind, this.#unread(), left),
      ...(suspicious && { suspicious }),
      ...(carried && { carried }),
    }
    const isWhollyCarried =
      carried !== undefined && this.#readCount + this.#goneCount === 0 && ending.status === 'complete'
    const status = isWhollyCarried ? 'carried' : ending.status
    const unended = { reading: this.#reading, ending: { ...ending, status, discovered } }
    endStreamSpan(this.#span, unended)
    return unended
  }

  get #isListed(): boolean {
    const { listing } = this.#queue
    if (listing === null || listing.repeatsTop || this.#hasUnlisted) return false
    return listing.unread.length === 0 && listing.suspicious === undefined
  }

  /** Adds the requests for the list, and what of it could not be read. */
  #noteListing(): void {
    const { requests, retries, bytes } = this.#queue.takeListingStats()
    const { stats } = this.#reading
    stats.requests += requests
    stats.retries += retries
    stats.bytes += bytes
    for (const { id, error } of this.#queue.listing?.unread ?? []) this.#missed.push({ id, source: 'list', error })
  }

  /** Carries the ids that were not requested because of the budget. Those never read, or read too long ago, become unread items. */
  #carryUnfit(): Carried | undefined {
    if (this.#unfit === null) return undefined
    const since = this.#recentSince
    let carried: Carried | undefined
    for (const { id, source, isDoubtful, readAt } of [...this.#unfit, ...this.#queue.takeRest()]) {
      if (isDoubtful) continue
      if (readAt !== undefined && since !== undefined && readAt >= since) {
        carried = addCarried(carried, { items: 1, since: readAt })
      } else this.#missed.push({ id, source, error: budgetUsedUp(readAt) })
    }
    return carried
  }

  get #isOutage(): boolean {
    return this.#breakers.sure.isOpen || this.#breakers.fromText.isOpen
  }

  /**
   * An id that a field names meanwhile, or whose item was read without its comments, is not a guess from a text. During an outage,
   * errors do not show that an id is not an item; nor do they if most links that name the project fail.
   */
  #unread(): UnreadItem[] {
    const isGuess = ({ id, part }: Missed) => part === undefined && this.#queue.isFromText(id)
    const isLink = (item: Missed) => item.isTrouble === true && isGuess(item) && this.#queue.isLinked(item.id)
    const links = this.#missed.filter(isLink).length
    const areLinksItems = links >= MISSED_LINKS && links * 2 > this.#linkedCount
    return this.#missed.map((item) => {
      const { id, source, part = '', error, isTrouble = false } = item
      const isItem = (isTrouble && this.#isOutage) || (areLinksItems && isLink(item))
      return { id: `${id}${part}`, source, error, isFromText: isGuess(item) && !isItem }
    })
  }

  async #read(asked: QueuedId): Promise<void> {
    const { budget } = this.#client
    budget.reserve(REQUESTS_OF_ITEM)
    if (asked.isDoubtful) this.#doubtfulUnderWay += 1
    try {
      const detail = this.#detailOf(asked).finally(() => budget.reserve(-1))
      await this.#readThing(asked, detail)
    } finally {
      budget.reserve(1 - REQUESTS_OF_ITEM)
      if (asked.isDoubtful) this.#doubtfulUnderWay -= 1
    }
  }

  async #readThing(asked: QueuedId, answer: Promise<ItemDetail<D> | null | undefined>): Promise<void> {
    const { id, source, isDoubtful } = asked
    this.#reading.pages += 1
    const detail = await answer
    if (detail === undefined) {
      if (isDoubtful) this.#misses += 1
    } else if (detail === null) {
      if (isDoubtful) this.#misses += 1
      this.#gone.push(id)
      this.#goneCount += 1
    } else if (detail.id === id || this.#queue.claim(detail.id, source)) {
      this.#take({ ...detail, ...(await this.#commentsOf(asked, detail)) })
    }
    if (this.#things.length + this.#gone.length >= BATCH) await this.#flush()
  }

  /** `null` if the item does not exist, `undefined` if it could not be read. */
  async #detailOf(asked: QueuedId): Promise<ItemDetail<D> | null | undefined> {
    const { id, source } = asked
    const isFromText = this.#queue.isFromText(id)
    const breaker = isFromText ? this.#breakers.fromText : this.#breakers.sure
    if (isFromText && this.#queue.isLinked(id)) this.#linkedCount += 1
    try {
      const detail = await this.#answerTo(asked)
      breaker.answered()
      return detail
    } catch (error) {
      if (this.#run.isBeyondItem(error) || isBudgetError(error)) throw error
      const isTrouble = breaker.failed(error)
      const reason = isNotFound(error) ? this.#notFoundThough(error) : describe(error)
      this.#missed.push({ id, source, error: reason, isTrouble })
      return undefined
    }
  }

  /**
   * The service may return an item under another id than the requested one (an alias). If an item is stored under the
   * requested id, a cache or a proxy has mixed up two requests, once or every time. A stored item is gone only if two answers say so.
   * @throws an error that `isNotFound` for an item that the list of this run holds: one of the answers is wrong
   */
  async #answerTo({ id, isStored }: QueuedId): Promise<ItemDetail<D> | null> {
    const { kind } = this.#source
    const get = () => this.#source.get(this.#client, this.#pid, id, this.#callOptions)
    const isListed = this.#queue.listing?.ids.has(id) === true
    const read = async () => {
      try {
        const { record: detail, losses } = await (isStored || isListed ? askedTwice(get) : get())
        return { id: this.#source.idOf(detail), detail, losses }
      } catch (error) {
        if (isNotFound(error) && !isListed) return null
        throw error
      }
    }
    const isOther = (thing: ItemDetail<D> | null) => isStored && thing !== null && thing.id !== id
    const first = await read()
    const thing = isOther(first) ? await read() : first
    if (!isOther(thing)) return thing
    const what = `the answer to the request for ${kind} ${id} holds ${kind} ${thing?.id}`
    throw new DecodeError({ problem: 'misdirected', what })
  }

  #notFoundThough({ errorCode: code, message }: ApiError): UnreadItem['error'] {
    return { code, message: `${message} (answered twice), although the list of ${this.#source.kind}s contains it` }
  }

  /** The item itself was read: only its detail can show that it no longer exists, not its comments. */
  async #commentsOf(
    { id: asked, source }: QueuedId,
    thing: ItemDetail<D>,
  ): Promise<Pick<Item<D>, 'comments' | 'commentLosses'>> {
    const { kind } = this.#source
    const breaker = this.#breakers.comments
    const miss = (error: UnreadItem['error']) => this.#missed.push({ id: thing.id, source, part: '/comments', error })
    const none = { comments: [], commentLosses: [] }
    if (breaker.isOpen) {
      miss(notRequested('lists of comments'))
      return none
    }
    try {
      const id = isAskableId(thing.id) ? thing.id : asked
      const answer = await collect(this.#source.comments(this.#client, this.#pid, id, this.#callOptions))
      breaker.answered()
      const { records, losses, total } = answer
      const list = { count: elementCount(answer), total }
      const verdict = judgeLength(list)
      if (verdict === 'cut') {
        miss({ code: POSSIBLY_CAPPED, message: `comments ${cutAt(list.count, list.total ?? list.count)}` })
      } else if (verdict === 'suspicious') this.#suspicious.push({ id: thing.id, source, length: list.count })
      return { comments: records, commentLosses: losses }
    } catch (error) {
      if (this.#run.isBeyondItem(error) || isBudgetError(error)) throw error
      breaker.failed(error)
      if (!isNotFound(error)) miss(describe(error))
      else if (this.#source.hasComments(thing.detail)) {
        const message = `the service answered that the comments do not exist, though the ${kind} does`
        miss({ code: 'COMMENTS_MISSING', message })
      }
      return none
    }
  }

  get #callOptions(): CallOptions {
    return { signal: this.#run.signal, stats: this.#reading.stats }
  }

  #take(thing: Item<D>): void {
    this.#things.push(thing)
    this.#readCount += 1
    this.#hasUnlisted ||= this.#queue.listing?.ids.has(thing.id) === false
    this.#source.addIds?.(thing.detail, this.#found)
    addAttachments(thing.comments, this.#found)
    const [detail, comments] = batchesOf(this.#source, [thing])
    this.#found.addLinks(detail, this.#source.kind)
    this.#found.addLinks(comments, 'comment')
  }

  async #flush(): Promise<void> {
    const source = this.#source
    const things = this.#things
    const gone = this.#gone
    this.#things = []
    this.#gone = []
    const known = this.#queue.news()
    const batches = [source.known(known, this.#queue.unaskable()), ...batchesOf(source, things), source.gone(gone)]
    for (const batch of batches) await this.#reading.write(batch)
  }

  #break(error: unknown): void {
    this.#broken ??= this.#run.failure(error)
  }
}
