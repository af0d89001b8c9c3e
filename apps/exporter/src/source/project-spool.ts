import type { RecordLoss, Scope, ScopeResult, ScopeSink, StreamBatch, StreamName } from '@collab-etl/core'
import { rowObjects, rowsOf, ScopeMemory } from '@collab-etl/warehouse'
import { SHOWN_STREAMS, type SourceRow } from './backup-source.ts'
import { isSpooled, type ScopeRows, type Spool } from './spool.ts'

/** What of a scope stands in memory. */
interface OpenScope {
  readonly rows: ScopeRows
  memory: ScopeMemory
  losses: RecordLoss[]
  project: SourceRow | null
  users: Map<string, SourceRow>
}

/** Takes what the ended scopes of a project brought, besides their rows in the spool. */
export interface EndedScope {
  readonly result: ScopeResult
  readonly losses: readonly RecordLoss[]
  readonly project: SourceRow | null
  readonly users: ReadonlyMap<string, SourceRow>
}

/** Puts what is read of one project into the spool, as the warehouse would store it. */
export class ProjectSpool implements ScopeSink {
  readonly #pid: string
  readonly #spool: Spool
  readonly #scopes = new Map<StreamName, OpenScope>()
  /** Ids of posts that are known to this reading. */
  readonly knownPosts = new Set<string>()
  readonly ended: EndedScope[] = []

  constructor(pid: string, spool: Spool) {
    this.#pid = pid
    this.#spool = spool
  }

  async write(scope: Scope, batch: StreamBatch): Promise<void> {
    if (batch.kind === 'known_post') {
      for (const { pid, post_id } of batch.records) if (pid === this.#pid) this.knownPosts.add(post_id)
    }
    // Other streams are read for the posts that their texts lead to.
    if (!SHOWN_STREAMS.includes(scope.stream)) return
    const open = this.#open(scope)
    const { tables, losses } = rowsOf(scope, batch, open.memory)
    open.losses.push(...batch.losses, ...losses)
    for (const tableRows of tables) {
      const { name } = tableRows.table
      for (const row of rowObjects(tableRows)) {
        if (name === 'projects') open.project = row
        else if (name === 'users') open.users.set(String(row['uid']), row)
        else if (isSpooled(name)) await open.rows.append(name, row)
      }
    }
  }

  async restart(scope: Scope): Promise<void> {
    const open = this.#scopes.get(scope.stream)
    await open?.rows.discard()
    this.#scopes.delete(scope.stream)
  }

  async end(result: ScopeResult): Promise<void> {
    const open = this.#scopes.get(result.scope.stream)
    this.#scopes.delete(result.scope.stream)
    const isStored = result.status === 'complete' || result.status === 'drifted'
    if (isStored) await open?.rows.seal()
    else await open?.rows.discard()
    const { losses = [], project = null, users = new Map<string, SourceRow>() } = (isStored && open) || {}
    this.ended.push({ result, losses, project, users })
  }

  #open({ stream }: Scope): OpenScope {
    const known = this.#scopes.get(stream)
    if (known) return known
    const opened: OpenScope = {
      rows: this.#spool.scope(this.#pid),
      memory: new ScopeMemory(),
      losses: [],
      project: null,
      users: new Map(),
    }
    this.#scopes.set(stream, opened)
    return opened
  }
}
