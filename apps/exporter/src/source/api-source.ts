import type { BackupAccount } from '@collab-etl/backups'
import { type Account, DEFAULT_ACCOUNT } from '@collab-etl/contract'
import {
  type ConversionIssue,
  isRead,
  type Reason,
  type ScopeResult,
  type StreamName,
} from '@collab-etl/contract/streams'
import {
  type Client,
  chooseProjects,
  DiscoveredIds,
  type KnownId,
  type LinkPattern,
  listProjects,
  readProjects,
  readTeams,
  resultOfAll,
  tryOperations,
} from '@collab-etl/core'
import type { ListedIssue } from '@collab-etl/documents'
import type { ScopeState } from '@collab-etl/warehouse'
import type { BackupRows, Extent, Origin, SourceRow, UnreadItem } from './backup-rows.ts'
import { type EndedScope, ProjectSpool } from './project-spool.ts'
import { Spool } from './spool.ts'
import { SpooledRows } from './spooled-rows.ts'

export interface ApiSourceOptions {
  readonly client: Client
  readonly baseUrl: string
  /** A folder for the records that are read; it is made. */
  readonly spoolFolder: string
  /** Only these projects; `null` for all in the list. */
  readonly pids: readonly string[] | null
  /** Posts whose ids are known before the service is read, by project. */
  readonly knownPosts: ReadonlyMap<string, readonly KnownId[]>
  readonly links: readonly LinkPattern[]
  /** Hosts of the service besides that of its base URL. */
  readonly serviceHosts?: readonly string[] | undefined
  readonly extent: Extent
  readonly signal: AbortSignal
  readonly onProject: (done: number, total: number) => void
  /** Called once with the number of complete scopes that may be cut; a warehouse would compare them with stored rows. */
  readonly onSuspicious?: ((scopes: number) => void) | undefined
}

/** The streams that are read again for posts and files that another project named. */
const FOLLOWED_STREAMS: ReadonlySet<StreamName> = new Set(['posts', 'files'])

/** Reads the service into a spool: all projects, in full, before the first file of the backup is written. */
export async function openApiSource(options: ApiSourceOptions): Promise<BackupRows> {
  const source = new ApiSource(options, await Spool.create(options.spoolFolder))
  await source.read()
  return source
}

class ApiSource implements BackupRows {
  #origin: Origin
  readonly #options: ApiSourceOptions
  readonly #rows: SpooledRows
  readonly #scopes = new Map<string, ScopeState>()
  readonly #losses = new Map<string, ListedIssue[]>()
  readonly #unread: UnreadItem[] = []
  readonly #ids = new DiscoveredIds()
  /** Projects that were named and are not in the list. */
  #unlisted: ReadonlySet<string> = new Set()
  #pids: readonly string[] = []
  readonly #suspicious = new Set<string>()

  constructor(options: ApiSourceOptions, spool: Spool) {
    this.#options = options
    this.#rows = new SpooledRows(spool)
    const { baseUrl } = options
    const readAt = new Date().toISOString()
    this.#origin = { kind: 'api', place: baseUrl, baseUrl, account: null, readAt, runId: null }
  }

  get origin(): Origin {
    return this.#origin
  }

  async read(): Promise<void> {
    const { client, baseUrl, serviceHosts, pids, knownPosts, links: linkPatterns, signal, onProject } = this.#options
    const list = await listProjects(client, { signal })
    const { projects: listed } = list
    const result = resultOfAll(list)
    if (pids === null && result.error !== undefined) {
      this.#scopes.set('projects', {
        pid: null,
        stream: 'projects',
        status: result.status,
        error: storedReason(result.error),
      })
      this.#noteUnread(result)
    }
    const projects = chooseProjects(listed, pids)
    this.#unlisted = new Set(projects.flatMap((project) => (project.listed === null ? [project.pid] : [])))
    const { extent } = this.#options
    const owners = await tryOperations(client, listed, { signal })
    const account = owners.get(DEFAULT_ACCOUNT) ?? null
    const listsPosts = client.capabilities.offers('posts.list') && { listsPosts: true as const }
    this.#origin = { ...this.#origin, account, ...listsPosts }
    if (pids === null && extent.read.includes('teams')) await this.#readTeams(listed.map(({ pid }) => pid))
    let done = 0
    await readProjects(client, projects, {
      read: { streams: new Set(extent.read), linkPatterns },
      links: { baseUrl, serviceHosts, pids: listed.map(({ pid }) => pid) },
      prepare: async ({ project }) => ({ knownPosts: knownPosts.get(project.pid) ?? [] }),
      openSink: ({ project: { pid }, isFollowUp }) => {
        const sink = new ProjectSpool(this.#rows.spool, extent, (scopes) => {
          for (const scope of scopes) this.#take(pid, scope)
          if (!isFollowUp) onProject(++done, projects.length)
        })
        return { sink, finish: () => sink.finish() }
      },
      ids: this.#ids,
      signal,
    })
    this.#pids = projects.map(({ pid }) => pid)
    const { names, readers } = client.accounts
    if (names[0] !== DEFAULT_ACCOUNT) {
      const all = names.map((name) => accountOf(name, owners.get(name), list.byAccount))
      this.#origin = { ...this.#origin, accounts: { all, readers } }
    }
    if (result.suspicious !== undefined) this.#suspicious.add('projects')
    if (this.#suspicious.size > 0) this.#options.onSuspicious?.(this.#suspicious.size)
  }

  async #readTeams(listed: readonly string[]): Promise<void> {
    const { client, extent, signal } = this.#options
    const sink = new ProjectSpool(this.#rows.spool, extent, (scopes) => {
      for (const { result, ...scope } of scopes) {
        this.#rows.take(scope)
        this.#losses.set(
          'teams',
          scope.losses.map((loss) => lossOf(null, 'teams', loss)),
        )
        this.#noteUnread(result)
        if (result.suspicious !== undefined) this.#suspicious.add('teams')
        if (result.error === undefined) continue
        this.#scopes.set('teams', {
          pid: null,
          stream: 'teams',
          status: result.status,
          error: storedReason(result.error),
        })
      }
    })
    await readTeams(client, sink, { listed: new Set(listed), signal })
    await sink.finish()
  }

  #take(pid: string, scope: EndedScope): void {
    const { result, losses } = scope
    const { stream } = result.scope
    this.#addScope(pid, result)
    this.#rows.take(scope)
    if (result.status === 'complete') this.#rows.spool.noteWhole(pid, stream)
    const place = placeOf(pid, stream)
    if (result.suspicious !== undefined) this.#suspicious.add(place)
    const earlier = this.#losses.get(place) ?? []
    this.#losses.set(place, [...earlier, ...losses.map((loss) => lossOf(pid, stream, loss))])
    this.#noteUnread(result)
    // Rows of a scope that could not be read are discarded, whichever of its readings failed.
    if (FOLLOWED_STREAMS.has(stream) && !this.#isStored(pid, stream)) this.#rows.spool.forget(pid, stream)
  }

  #noteUnread({ scope: { pid, stream }, unread = [] }: ScopeResult): void {
    for (const { id, error } of unread) {
      this.#unread.push({ pid, stream, item_id: id, error_code: error.code, error: error.message })
    }
  }

  #addScope(pid: string, { scope: { stream }, status, error }: ScopeResult): void {
    const place = placeOf(pid, stream)
    const before = this.#scopes.get(place)
    // A scope that is read in several parts ends as the worst of them.
    if (before !== undefined && before.status !== 'complete' && (!isRead(before) || isRead({ status }))) return
    // The project was requested by name: it must be reported even if it does not exist.
    const isMissed = status === 'skipped' && stream === 'projects' && this.#unlisted.has(pid)
    const state: ScopeState = isMissed
      ? { pid, stream, status: 'failed', error: notVisible(pid) }
      : { pid, stream, status, error: error ? storedReason(error) : null }
    this.#scopes.set(place, state)
  }

  #isStored(pid: string, stream: StreamName): boolean {
    const state = this.#scopes.get(placeOf(pid, stream))
    return state !== undefined && isRead(state)
  }

  rows(
    table: Parameters<BackupRows['rows']>[0],
    options: Parameters<BackupRows['rows']>[1] = {},
  ): AsyncIterable<SourceRow> {
    return this.#rows.rows(table, options)
  }

  async scopes(): Promise<readonly ScopeState[]> {
    return [...this.#scopes.values()]
  }

  async *losses(): AsyncGenerator<ListedIssue, void, undefined> {
    for (const losses of this.#losses.values()) yield* losses
  }

  async unreadItems(): Promise<readonly UnreadItem[]> {
    return this.#unread
  }

  async knownPosts(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.#pids.map((pid) => [pid, this.#ids.totals('post', new Set([pid])).known]))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function accountOf(
  account: string,
  owner: Account | undefined,
  byAccount: ReadonlyMap<string, readonly unknown[]>,
): BackupAccount {
  const { uid = null, name = null } = owner ?? {}
  return { account, uid, name, projects: byAccount.get(account)?.length ?? null }
}

/** What a backup keeps of a reason. */
function storedReason({ code, message }: Reason): NonNullable<ScopeState['error']> {
  return { code, message }
}

function notVisible(pid: string): NonNullable<ScopeState['error']> {
  return { code: 'NOT_VISIBLE', message: `the token sees no project ${pid}` }
}

function placeOf(pid: string, stream: StreamName): string {
  return `${stream} ${pid}`
}

function lossOf(pid: string | null, stream: StreamName, loss: ConversionIssue): ListedIssue {
  const { recordKey: record_key, field, kind, original } = loss
  return { pid, stream, record_key, field, kind, original }
}
