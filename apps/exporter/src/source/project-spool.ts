import {
  type ConversionIssue,
  isStored,
  type Scope,
  type ScopeResult,
  type ScopeSink,
  type StreamBatch,
  type StreamName,
} from '@collab-etl/contract/streams'
import { rowObjects, rowsOf, ScopeMemory, type TableRows } from '@collab-etl/warehouse'
import { addUser } from './add-user.ts'
import type { Extent, SourceRow } from './backup-rows.ts'
import { isSpooled, type ScopeRows, type Spool } from './spool.ts'

/** What is kept of a scope in memory. */
interface OpenScope {
  readonly rows: ScopeRows
  readonly memory: ScopeMemory
  readonly losses: ConversionIssue[]
  /** How many records came so far. */
  records: number
  readonly projects: Map<string, SourceRow>
  readonly users: Map<string, SourceRow>
}

/** What the spool does not hold of an ended scope of a project. */
export interface EndedScope {
  readonly result: ScopeResult
  readonly losses: readonly ConversionIssue[]
  /** The project's own row; of teams, those of projects that only a team's list shows. */
  readonly projects: ReadonlyMap<string, SourceRow>
  readonly users: ReadonlyMap<string, SourceRow>
}

/** Puts what is read of one project, or of no project, into the spool, as the warehouse would store it. */
export class ProjectSpool implements ScopeSink {
  readonly #spool: Spool
  readonly #extent: Extent
  readonly #scopes = new Map<StreamName, OpenScope>()
  readonly #ended: EndedScope[] = []
  readonly #onFinish: (scopes: readonly EndedScope[]) => void

  /** @param extent records of streams that are not given are not kept: they are read for the ids that their texts name, and for users */
  constructor(spool: Spool, extent: Extent, onFinish: (scopes: readonly EndedScope[]) => void) {
    this.#onFinish = onFinish
    this.#spool = spool
    this.#extent = extent
  }

  async write(scope: Scope, batch: StreamBatch): Promise<void> {
    const isGiven = this.#extent.given.includes(scope.stream)
    if (!isGiven && !this.#extent.allUsers) return
    const open = this.#open(scope)
    const { tables, losses } = rowsOf(scope, batch, open.memory)
    if (isGiven) open.losses.push(...batch.losses, ...losses)
    const kept = tables.filter(({ table }) => isGiven || table.name === 'users')
    for (const tableRows of kept) await keep(open, scope.stream, tableRows)
    open.records += batch.records.length
  }

  async restart(scope: Scope): Promise<void> {
    const open = this.#scopes.get(scope.stream)
    await open?.rows.discard()
    this.#scopes.delete(scope.stream)
  }

  async end(result: ScopeResult): Promise<void> {
    const open = this.#scopes.get(result.scope.stream)
    this.#scopes.delete(result.scope.stream)
    const isKept = isStored(result)
    if (isKept) await open?.rows.seal()
    else await open?.rows.discard()
    const none = { losses: [], projects: new Map<string, SourceRow>(), users: new Map<string, SourceRow>() }
    const { losses, projects, users } = (isKept && open) || none
    this.#ended.push({ result, losses, projects, users })
  }

  async finish(): Promise<void> {
    this.#onFinish(this.#ended)
  }

  #open({ pid, stream }: Scope): OpenScope {
    const known = this.#scopes.get(stream)
    if (known) return known
    const opened: OpenScope = {
      rows: this.#spool.scope(pid ?? '', stream),
      memory: new ScopeMemory(),
      losses: [],
      records: 0,
      projects: new Map(),
      users: new Map(),
    }
    this.#scopes.set(stream, opened)
    return opened
  }
}

async function keep(open: OpenScope, stream: StreamName, tableRows: TableRows): Promise<void> {
  const { name, key } = tableRows.table
  for (const [index, row] of rowObjects(tableRows).entries()) {
    // of teams, only projects that the list of projects does not show come here
    if (name === 'projects')
      open.projects.set(String(row['pid']), stream === 'teams' ? { ...row, only_in_team: row['team_id'] } : row)
    else if (name === 'users') addUser(open.users, row)
    else if (isSpooled(name)) {
      const record = open.records + (tableRows.records[index] ?? 0)
      const isRepeated = await open.rows.append(name, row, record)
      // Archived tasks are emitted again if they changed while their list was read.
      if (isRepeated && stream !== 'archived_tasks') open.losses.push(duplicateOf(row, key))
    }
  }
}

/** A second record with the key of another: the later one is kept. */
function duplicateOf(row: SourceRow, key: readonly string[]): ConversionIssue {
  const parts = key.filter((column) => column !== 'pid').map((column) => String(row[column]))
  return { recordKey: parts.join(' '), field: '', kind: 'duplicate', original: null }
}
