import type { ListedIssue } from '@collab-etl/documents'
import {
  type Coverage,
  judgeScopes,
  namedAccounts,
  ownerOf,
  type RunRow,
  readByRuns,
  type ScopeState,
  type SteadyRows,
  type StoredRows,
  unfinishedRuns,
  type Warehouse,
} from '@collab-etl/warehouse'
import type { BackupRows, Extent, Origin, SourceRow, UnreadItem } from './backup-rows.ts'

/**
 * Reads the rows as the warehouse holds them, or as it held them at a given time. It holds the warehouse's lock meanwhile, so that no
 * snapshot changes them between one table and the next. While a snapshot is under way, it reads them without the lock, as they were before
 * the snapshot began. `pids` are the projects of the backup; `null`: all.
 */
export async function openWarehouseSource(
  warehouse: Warehouse,
  run: RunRow,
  given: Date | undefined,
  extent: Extent,
  pids: readonly string[] | null = null,
): Promise<BackupRows> {
  const steady = await warehouse.rows.steady()
  try {
    const [asOf] = [given, steady.asOf ?? undefined].filter((time) => time !== undefined).sort((a, b) => +a - +b)
    // A run may have finished between the choice of the source and the lock.
    const current = (await warehouse.log.lastFinishedRun(asOf, { coversAll: run.covers_all })) ?? run
    const coverage = await warehouse.log.coverage({ asOf })
    const accounts = await accountsOf(warehouse, current, asOf)
    return new WarehouseSource({ warehouse, run: current, accounts, asOf, extent, pids, coverage, steady })
  } catch (error) {
    await steady[Symbol.asyncDispose]()
    throw error
  }
}

interface SourceParts {
  readonly warehouse: Warehouse
  readonly run: RunRow
  readonly accounts: Origin['accounts']
  readonly asOf: Date | undefined
  readonly extent: Extent
  readonly pids: readonly string[] | null
  readonly coverage: Coverage
  readonly steady: SteadyRows
}

class WarehouseSource implements BackupRows {
  readonly origin: Origin
  readonly #parts: SourceParts

  readonly versions?: StoredRows

  constructor(parts: SourceParts) {
    this.#parts = parts
    // Rows of an earlier time have no versions.
    if (parts.asOf === undefined) this.versions = parts.warehouse.rows
    this.origin = originOf(parts)
  }

  rows(
    table: Parameters<BackupRows['rows']>[0],
    options: Parameters<BackupRows['rows']>[1] = {},
  ): AsyncIterable<SourceRow> {
    const { warehouse, asOf } = this.#parts
    return warehouse.rows.of(table, { ...options, asOf })
  }

  async scopes(): Promise<readonly ScopeState[]> {
    const { coverage, extent } = this.#parts
    return judgeScopes(coverage, extent.read)
  }

  async *losses(): AsyncGenerator<ListedIssue, void, undefined> {
    const { warehouse, asOf, extent } = this.#parts
    for await (const { seq: _, ...loss } of warehouse.log.losses({ asOf, streams: extent.given })) {
      yield { ...loss, pid: loss.pid === '' ? null : loss.pid }
    }
  }

  async unreadItems(): Promise<readonly UnreadItem[]> {
    const { warehouse, asOf, extent } = this.#parts
    const items = await warehouse.log.unreadItems({ asOf, streams: extent.read })
    return items.map(({ pid, stream, item_id, error_code, error }) => ({ pid, stream, item_id, error_code, error }))
  }

  knownPosts(): Promise<ReadonlyMap<string, number>> {
    const { warehouse, asOf } = this.#parts
    return warehouse.log.countKnownPosts({ asOf })
  }

  confirm(): Promise<void> {
    return this.#parts.steady.confirm()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.steady[Symbol.asyncDispose]()
  }
}

function originOf({ warehouse, run, accounts, asOf, extent, pids, coverage, steady }: SourceParts): Origin {
  const readBy = readByRuns(coverage, { runId: run.run_id, streams: extent.read, pids })
  const unfinished = unfinishedRuns(coverage)
  return {
    kind: 'warehouse',
    place: warehouse.location,
    baseUrl: run.base_url,
    account: ownerOf(run.accounts),
    ...(accounts && { accounts }),
    ...(run.capabilities?.['posts.list'] === true && { listsPosts: true as const }),
    runId: run.run_id,
    readAt: oldestOf(readBy) ?? run.started_at,
    ...(readBy && { readBy }),
    ...(unfinished.length > 0 && { unfinished }),
    ...(asOf && { asOf: asOf.toISOString() }),
    ...(steady.asOf && asOf === steady.asOf && { isBesideRun: true as const }),
  }
}

/** The accounts of the run, if they have names. */
async function accountsOf(warehouse: Warehouse, run: RunRow, asOf: Date | undefined): Promise<Origin['accounts']> {
  const named = namedAccounts(run.accounts)
  if (named.length === 0) return undefined
  const all = named.map(({ account, uid, name, projects }) => ({ account, uid, name, projects }))
  return { all, readers: await warehouse.log.readers({ asOf }) }
}

/** When the oldest rows were read; `null` if one run read all of them. */
function oldestOf(readBy: Origin['readBy'] | null): string | null {
  if (!readBy) return null
  const [first] = [
    ...readBy.runs.map(({ startedAt }) => startedAt),
    ...(readBy.carriedSince === null ? [] : [readBy.carriedSince]),
  ].sort()
  return first ?? null
}
