import type {
  ConversionIssue,
  RecordKind,
  RecordKinds,
  Scope,
  ScopeResult,
  ScopeSink,
  StreamBatch,
} from '@collab-etl/contract/streams'

const nameOf = ({ pid, stream }: Scope) => `${pid ?? ''}/${stream}`

/** A sink that keeps what it is given, and refuses what the interface forbids. */
export class RecordingSink implements ScopeSink {
  readonly results: ScopeResult[] = []
  readonly #batches = new Map<string, StreamBatch[]>()
  readonly #writing = new Set<string>()
  readonly restarted: string[] = []

  async write(scope: Scope, batch: StreamBatch): Promise<void> {
    const name = nameOf(scope)
    if (this.#writing.has(name)) throw new Error(`two calls at once for ${name}`)
    if (this.results.some((result) => nameOf(result.scope) === name)) throw new Error(`${name} was ended before`)
    this.#writing.add(name)
    await new Promise((resolve) => setImmediate(resolve))
    this.#writing.delete(name)
    this.#batches.set(name, [...(this.#batches.get(name) ?? []), batch])
  }

  async restart(scope: Scope): Promise<void> {
    this.restarted.push(nameOf(scope))
    this.#batches.delete(nameOf(scope))
  }

  async end(result: ScopeResult): Promise<void> {
    if (this.results.some(({ scope }) => nameOf(scope) === nameOf(result.scope))) throw new Error('ended twice')
    this.results.push(result)
  }

  /** All records of a kind that scopes which did not fail were given. */
  records<K extends RecordKind>(kind: K): RecordKinds[K][] {
    const batches = [...this.#batches.values()].flat()
    // A batch of this kind holds records of this kind; TypeScript does not follow that through the union.
    return batches.filter((batch) => batch.kind === kind).flatMap(({ records }) => records as readonly RecordKinds[K][])
  }

  get losses(): ConversionIssue[] {
    return [...this.#batches.values()].flat().flatMap(({ losses }) => losses)
  }

  /** Streams by how they ended. */
  get statuses(): Record<string, string> {
    return Object.fromEntries(this.results.map(({ scope, status }) => [scope.stream, status]))
  }
}
