import type { Client } from '../client.ts'
import { DecodeError } from '../errors/decode-error.ts'
import type { AskedId, FoundIds } from './found-ids.ts'
import type { FoundSource, FoundThing } from './found-source.ts'
import type { ScopeRun, UnendedScope } from './run-scopes.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'

/** Things are handed on by so many: a batch worth staging, a few megabytes at most. */
const BATCH = 50

/** Reads the things of one kind whose ids turn up, until none is left. */
export class FoundLane<D> {
  readonly #source: FoundSource<D>
  readonly #reading: ScopeReading
  readonly #run: ScopeRun
  readonly #client: Client
  readonly #found: FoundIds
  readonly #pid: string
  #things: FoundThing<D>[] = []
  #gone: string[] = []
  #readCount = 0
  #goneCount = 0
  readonly #maxMissing: number
  /** Doubtful ids that do not exist, and those under way. */
  #misses = 0
  #doubtfulUnderWay = 0
  /** Ids of things whose comments could not be read. */
  readonly #withoutComments: string[] = []
  #broken: Ending | null

  constructor(options: {
    source: FoundSource<D>
    reading: ScopeReading
    run: ScopeRun
    client: Client
    found: FoundIds
    pid: string
    maxMissing: number
  }) {
    this.#source = options.source
    this.#reading = options.reading
    this.#run = options.run
    this.#client = options.client
    this.#found = options.found
    this.#pid = options.pid
    this.#maxMissing = options.maxMissing
    this.#broken = options.run.skipped ? { status: 'skipped' } : null
  }

  /** The reading of the next thing, or `null` if none is known that was not read. It never rejects. */
  next(): Promise<void> | null {
    if (this.#broken !== null) return null
    const asked = this.#found.next(this.#source.kind, this.#misses + this.#doubtfulUnderWay < this.#maxMissing)
    if (asked === undefined) return null
    return this.#read(asked).catch((error: unknown) => this.#break(error))
  }

  /** Hands on what is left, once nothing is under way, and tells how the scope ended. */
  async finish(): Promise<UnendedScope> {
    if (this.#broken === null) await this.#flush().catch((error: unknown) => this.#break(error))
    const found = {
      ...this.#found.counts(this.#source.kind),
      read: this.#readCount,
      gone: this.#goneCount,
    }
    const ending = this.#broken ?? this.#ending()
    return { reading: this.#reading, ending: { ...ending, found } }
  }

  /** What answered exists: that its comments do not makes neither of them gone. */
  #ending(): Ending {
    const [first] = this.#withoutComments
    if (first === undefined) return { status: 'complete' }
    const { kind } = this.#source
    const others = this.#withoutComments.length - 1
    const which = others === 0 ? `${kind} ${first}` : `${kind} ${first} and ${others} more`
    const message = `the service answered that the comments of ${which} do not exist, though the ${kind} does; comments stored before are kept`
    return { status: 'drifted', error: { code: 'COMMENTS_MISSING', message } }
  }

  async #read(asked: AskedId): Promise<void> {
    if (asked.isDoubtful) this.#doubtfulUnderWay += 1
    try {
      await this.#readThing(asked)
    } finally {
      if (asked.isDoubtful) this.#doubtfulUnderWay -= 1
    }
  }

  async #readThing(asked: AskedId): Promise<void> {
    const { id, source, isDoubtful } = asked
    const { kind } = this.#source
    this.#reading.pages += 1
    const thing = await this.#answerTo(asked)
    if (thing === null) {
      if (isDoubtful) this.#misses += 1
      this.#gone.push(id)
      this.#goneCount += 1
    } else if (thing.id === id || this.#found.claim(kind, thing.id, source)) {
      this.#take(thing)
    }
    if (this.#things.length + this.#gone.length >= BATCH) await this.#flush()
  }

  /**
   * The service may know a thing by another id than a link names (an alias). It may not for one that was stored under its own
   * id: a cache or a proxy has mixed up two requests, once, or each time.
   */
  async #answerTo({ id, isStored }: AskedId): Promise<FoundThing<D> | null> {
    const { signal } = this.#run
    const read = () => this.#source.read(this.#client, this.#pid, id, { signal, stats: this.#reading.stats })
    const isOther = (thing: FoundThing<D> | null) => isStored && thing !== null && thing.id !== id
    const first = await read()
    const thing = isOther(first) ? await read() : first
    if (!isOther(thing)) return thing
    const { kind } = this.#source
    const what = `the answer to the request for ${kind} ${id} holds ${kind} ${thing?.id}`
    throw new DecodeError({ problem: 'misdirected', what })
  }

  #take(thing: FoundThing<D>): void {
    this.#things.push(thing)
    this.#readCount += 1
    if (!thing.hasComments) this.#withoutComments.push(thing.id)
    this.#source.addIds(thing, this.#found)
    this.#found.addLinks(this.#source.details([thing]), this.#source.kind)
    this.#found.addLinks(this.#source.comments([thing]), 'comment')
  }

  async #flush(): Promise<void> {
    const source = this.#source
    const things = this.#things
    const gone = this.#gone
    this.#things = []
    this.#gone = []
    const known = this.#found.news(source.kind)
    const batches = [
      { ...source.known(known), losses: this.#found.unaskable(source.kind) },
      source.details(things),
      source.comments(things),
      source.gone(gone),
    ]
    for (const batch of batches) await this.#reading.write(batch)
  }

  #break(error: unknown): void {
    this.#broken ??= this.#run.failure(error)
  }
}
