import { compareBytes } from '@collab-etl/contract/compare-bytes'
import {
  type DiscoveryCounts,
  isRead,
  type RecordLoss,
  type ScopeResult,
  type StreamName,
} from '@collab-etl/contract/streams'
import {
  type Client,
  type KnownId,
  type LinkPattern,
  LinkRule,
  listProjects,
  type ProjectToRead,
  readProject,
} from '@collab-etl/core'
import type { BackupLoss } from '@collab-etl/documents'
import pLimit from 'p-limit'
import {
  type BackupSource,
  type Extent,
  type Origin,
  type ScopeState,
  type SourceRow,
  STREAMS_OF,
  type UnreadItem,
} from './backup-source.ts'
import { type EndedScope, ProjectSpool } from './project-spool.ts'
import { isSpooled, Spool } from './spool.ts'

/** Projects read at once. The client limits requests; this many keep it busy while each waits for its own last answer. */
const PROJECTS_AT_ONCE = 4

export interface ApiSourceOptions {
  readonly client: Client
  readonly baseUrl: string
  /** A folder to be made, for what is read. */
  readonly spoolFolder: string
  /** Only these projects; `null` for all in the list. */
  readonly pids: readonly string[] | null
  /** Posts known beforehand, by project. */
  readonly knownPosts: ReadonlyMap<string, readonly KnownId[]>
  readonly links: readonly LinkPattern[]
  /** Hosts of the service besides that of its base URL. */
  readonly serviceHosts?: readonly string[] | undefined
  /** Default `shown`. */
  readonly extent?: Extent | undefined
  readonly signal: AbortSignal
  readonly onProject: (done: number, total: number) => void
}

/** The streams that are read again for posts that only another project's texts named. */
const FOUND_STREAMS: ReadonlySet<StreamName> = new Set(['posts', 'files'])

/** Reads the service into a spool: all projects, in full, before the first file of the backup is written. */
export async function openApiSource(options: ApiSourceOptions): Promise<BackupSource> {
  const source = new ApiSource(options, await Spool.create(options.spoolFolder))
  await source.read()
  return source
}

class ApiSource implements BackupSource {
  readonly origin: Origin
  readonly #options: ApiSourceOptions
  readonly #spool: Spool
  readonly #streams: (typeof STREAMS_OF)[Extent]
  readonly #projects = new Map<string, SourceRow>()
  readonly #users = new Map<string, SourceRow>()
  readonly #scopes = new Map<string, ScopeState>()
  readonly #losses = new Map<string, BackupLoss[]>()
  readonly #unread: UnreadItem[] = []
  readonly #knownPosts = new Map<string, Set<string>>()
  /** Projects that were named and are not in the list. */
  #unlisted: ReadonlySet<string> = new Set()
  /** Projects of the list, and those that were named. */
  readonly #pids = new Set<string>()
  readonly #linkRule: LinkRule

  constructor(options: ApiSourceOptions, spool: Spool) {
    this.#options = options
    this.#spool = spool
    const { baseUrl, serviceHosts, extent = 'shown' } = options
    this.#linkRule = new LinkRule({ baseUrl, serviceHosts, hasProject: (pid) => this.#pids.has(pid) })
    this.#streams = STREAMS_OF[extent]
    this.origin = { kind: 'api', place: baseUrl, baseUrl, readAt: new Date().toISOString(), runId: null }
  }

  async read(): Promise<void> {
    const { client, pids, knownPosts, signal, onProject } = this.#options
    const { projects: listed, result } = await listProjects(client, { signal })
    if (pids === null && result.error !== undefined) {
      this.#scopes.set('projects', { pid: null, stream: 'projects', status: result.status, error: result.error })
    }
    const projects = pids === null ? listed : pids.map((pid) => named(pid, listed))
    for (const { pid } of [...listed, ...projects]) this.#pids.add(pid)
    this.#unlisted = new Set(projects.flatMap((project) => (project.listed === null ? [project.pid] : [])))
    let done = 0
    const found = await this.#readAll(projects, async (project, stop) => {
      const elsewhere = await this.#readProject(
        project,
        new Set(this.#streams.read),
        knownPosts.get(project.pid) ?? [],
        stop,
      )
      onProject(++done, projects.length)
      return elsewhere
    })
    await this.#readElsewhere(projects, found)
  }

  /** Posts may be named in the texts of another project alone; what these lead to may name more. */
  async #readElsewhere(projects: readonly ProjectToRead[], found: DiscoveryCounts['elsewhere']): Promise<void> {
    for (let left = found; left.length > 0; ) {
      const wanted = new Map<string, KnownId[]>()
      for (const { pid, id, source, isFromText } of left) {
        const known = this.#knownPosts.get(pid)
        if (known === undefined || known.has(id)) continue
        known.add(id)
        wanted.set(pid, [...(wanted.get(pid) ?? []), { id, source, isFromText }])
      }
      const again = projects.filter(({ pid }) => wanted.has(pid) && this.#isStored(pid, 'posts'))
      left = await this.#readAll(again, (project, stop) =>
        this.#readProject(project, FOUND_STREAMS, wanted.get(project.pid) ?? [], stop),
      )
    }
  }

  /** Reads several projects at once; the first failure that ends everything ends the others. */
  async #readAll(
    projects: readonly ProjectToRead[],
    read: (project: ProjectToRead, stop: AbortSignal) => Promise<DiscoveryCounts['elsewhere']>,
  ): Promise<DiscoveryCounts['elsewhere']> {
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#options.signal, stop.signal])
    const limit = pLimit(PROJECTS_AT_ONCE)
    const readings = projects.map((project) =>
      limit(async () => {
        signal.throwIfAborted()
        try {
          return await read(project, signal)
        } catch (error) {
          stop.abort(error)
          throw error
        }
      }),
    )
    await Promise.allSettled(readings)
    // Once stopped, others fail as aborted: the reason is the failure to tell.
    signal.throwIfAborted()
    return (await Promise.all(readings)).flat()
  }

  async #readProject(
    project: ProjectToRead,
    streams: ReadonlySet<StreamName>,
    knownPosts: readonly KnownId[],
    signal: AbortSignal,
  ): Promise<DiscoveryCounts['elsewhere']> {
    const { client, links: linkPatterns } = this.#options
    const sink = new ProjectSpool(project.pid, this.#spool, this.#streams.given)
    const results = await readProject(
      client,
      project,
      { streams, knownPosts, linkPatterns, linkRule: this.#linkRule, signal },
      sink,
    )
    for (const ended of sink.ended) this.#take(project.pid, ended)
    this.#knownPosts.set(project.pid, new Set([...(this.#knownPosts.get(project.pid) ?? []), ...sink.knownPosts]))
    return results.find(({ scope }) => scope.stream === 'posts')?.discovered?.elsewhere ?? []
  }

  #take(pid: string, { result, losses, project, users }: EndedScope): void {
    const { stream } = result.scope
    this.#addScope(pid, result)
    if (project) this.#projects.set(pid, project)
    for (const [uid, user] of users) this.#users.set(uid, user)
    const place = placeOf(pid, stream)
    const earlier = this.#losses.get(place) ?? []
    this.#losses.set(place, [...earlier, ...losses.map((loss) => lossOf(pid, stream, loss))])
    for (const { id, error } of result.unread ?? []) {
      this.#unread.push({ pid, stream, item_id: id, error_code: error.code, error: error.message })
    }
    // A scope that could not be read brings nothing, whichever of its readings failed.
    if (FOUND_STREAMS.has(stream) && !this.#isStored(pid, stream)) this.#spool.forget(pid, stream)
  }

  #addScope(pid: string, { scope: { stream }, status, error }: ScopeResult): void {
    const place = placeOf(pid, stream)
    const before = this.#scopes.get(place)
    // A scope that is read in several parts ends as the worst of them.
    if (before !== undefined && before.status !== 'complete' && (!isRead(before) || isRead({ status }))) return
    // Somebody asked for this very project: that it does not exist is no reason to pass over it.
    const isMissed = status === 'skipped' && stream === 'projects' && this.#unlisted.has(pid)
    const state: ScopeState = isMissed
      ? { pid, stream, status: 'failed', error: notVisible(pid) }
      : { pid, stream, status, error: error ?? null }
    this.#scopes.set(place, state)
  }

  #isStored(pid: string, stream: StreamName): boolean {
    const state = this.#scopes.get(placeOf(pid, stream))
    return state !== undefined && isRead(state)
  }

  async *rows(
    table: Parameters<BackupSource['rows']>[0],
    options: { pid?: string; columns?: readonly string[] } = {},
  ): AsyncGenerator<SourceRow, void, undefined> {
    const { pid } = options
    if (table === 'users') yield* this.#users.values()
    else if (table === 'projects') yield* inOrder(this.#projects, pid)
    else if (isSpooled(table) && pid !== undefined) yield* this.#spool.rows(pid, table)
    else throw new TypeError(`${table} is kept by project`)
  }

  async scopes(): Promise<readonly ScopeState[]> {
    return [...this.#scopes.values()]
  }

  async *losses(): AsyncGenerator<BackupLoss, void, undefined> {
    for (const losses of this.#losses.values()) yield* losses
  }

  async unreadItems(): Promise<readonly UnreadItem[]> {
    return this.#unread
  }

  async knownPosts(): Promise<ReadonlyMap<string, number>> {
    return new Map([...this.#knownPosts].map(([pid, posts]) => [pid, posts.size]))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function named(pid: string, listed: readonly ProjectToRead[]): ProjectToRead {
  return listed.find((project) => project.pid === pid) ?? { pid, listed: null }
}

function notVisible(pid: string): NonNullable<ScopeState['error']> {
  return { code: 'NOT_VISIBLE', message: `the token sees no project ${pid}` }
}

function* inOrder(projects: ReadonlyMap<string, SourceRow>, only: string | undefined): Generator<SourceRow> {
  for (const [pid, row] of [...projects].sort(([a], [b]) => compareBytes(a, b))) {
    if (only === undefined || only === pid) yield row
  }
}

function placeOf(pid: string, stream: StreamName): string {
  return `${stream} ${pid}`
}

function lossOf(pid: string, stream: StreamName, loss: RecordLoss): BackupLoss {
  const { recordKey: record_key, field, kind, original } = loss
  return { pid, stream, record_key, field, kind, original }
}
