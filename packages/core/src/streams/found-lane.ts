import type { Client } from '../client.ts'
import type { FoundIds } from './found-ids.ts'
import type { FoundSource, FoundThing } from './found-source.ts'
import type { ScopeRun, UnendedScope } from './run-scopes.ts'
import type { FoundId } from './scope.ts'
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
  #broken: Ending | null

  constructor(options: {
    source: FoundSource<D>
    reading: ScopeReading
    run: ScopeRun
    client: Client
    found: FoundIds
    pid: string
  }) {
    this.#source = options.source
    this.#reading = options.reading
    this.#run = options.run
    this.#client = options.client
    this.#found = options.found
    this.#pid = options.pid
    this.#broken = options.run.skipped ? { status: 'skipped' } : null
  }

  /** The reading of the next thing, or `null` if none is known that was not read. It never rejects. */
  next(): Promise<void> | null {
    const asked = this.#broken === null ? this.#found.next(this.#source.kind) : undefined
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
    const ending: Ending = this.#broken ?? { status: 'complete' }
    return { reading: this.#reading, ending: { ...ending, found } }
  }

  async #read({ id, source }: FoundId): Promise<void> {
    const { signal } = this.#run
    const { kind } = this.#source
    this.#reading.pages += 1
    const thing = await this.#source.read(this.#client, this.#pid, id, { signal, stats: this.#reading.stats })
    if (thing === null) {
      this.#gone.push(id)
      this.#goneCount += 1
    } else if (thing.id === id || this.#found.claim(kind, thing.id, source)) {
      this.#take(thing)
    }
    if (this.#things.length + this.#gone.length >= BATCH) await this.#flush()
  }

  #take(thing: FoundThing<D>): void {
    this.#things.push(thing)
    this.#readCount += 1
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
