import type { Settings } from '@collab-etl/cli'
import {
  isWarehouseError,
  type ListedRun,
  type Lookup,
  namedAccounts,
  openWarehouse,
  type QueryOutcome,
  queryWarehouse,
  type Slice,
  type Warehouse,
  type WarehouseOptions,
} from '@collab-etl/warehouse'
import pLimit from 'p-limit'
import { shortened } from '../bounds.ts'
import type { Answers, ChangesRequest, FoundChanges } from './answers.ts'
import { readChanges } from './changes.ts'

/** Calls at once on Postgres. The embedded database has one session. */
const PARALLEL_CALLS = 4

/** The whole result of a statement as the database sends it; an answer shows a part of it. */
const MAX_QUERY_BYTES = 4_000_000

const RUNS = 10
const INCOMPLETE_SCOPES = 40

/**
 * The warehouse of the settings. An embedded one is opened for each call and closed after it, so that snapshots can run in between.
 * @param timeoutSeconds after which a statement of `sql` is cancelled
 * @throws WarehouseError if it cannot be read; not if an embedded one is in use
 */
export async function openWarehouseSource(settings: Settings, timeoutSeconds: number): Promise<Answers> {
  const { databaseUrl, dataDir, schema } = settings
  const options: WarehouseOptions = { databaseUrl: databaseUrl?.reveal(), dataDir, schema, mustExist: true }
  const source =
    databaseUrl === undefined
      ? new EmbeddedSource(options, timeoutSeconds)
      : new PostgresSource(options, timeoutSeconds)
  try {
    await source.read(async () => {})
  } catch (error) {
    if (!isWarehouseError(error, 'LOCKED')) {
      await source[Symbol.asyncDispose]()
      throw error
    }
  }
  return source
}

abstract class WarehouseSource implements Answers {
  readonly kind = 'warehouse'
  protected readonly options: WarehouseOptions
  readonly #timeoutSeconds: number
  readonly #limit: ReturnType<typeof pLimit>

  constructor(options: WarehouseOptions, timeoutSeconds: number, parallel: number) {
    this.options = options
    this.#timeoutSeconds = timeoutSeconds
    this.#limit = pLimit(parallel)
  }

  read<T>(work: (lookup: Lookup) => Promise<T>): Promise<T> {
    return this.#limit(() => this.opened(async (warehouse) => await work(await warehouse.lookup())))
  }

  query(sql: string, rows: number, signal: AbortSignal): Promise<QueryOutcome> {
    const limits = { rows, bytes: MAX_QUERY_BYTES }
    const options = { timeoutSeconds: this.#timeoutSeconds, refusesSecrets: true, limits }
    return this.#limit(() => queryWarehouse({ ...this.options, signal }, sql, options))
  }

  changes(request: ChangesRequest, slice: Slice): Promise<FoundChanges> {
    const { since, ...rest } = request
    const options = { ...rest, timeoutSeconds: this.#timeoutSeconds }
    return this.#limit(() => this.opened((warehouse) => readChanges(warehouse, since, options, slice)))
  }

  status(): Promise<Readonly<Record<string, unknown>>> {
    return this.#limit(() => this.opened(statusOf))
  }

  protected abstract opened<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T>
  abstract [Symbol.asyncDispose](): Promise<void>
}

class PostgresSource extends WarehouseSource {
  #warehouse: Promise<Warehouse> | undefined

  constructor(options: WarehouseOptions, timeoutSeconds: number) {
    super(options, timeoutSeconds, PARALLEL_CALLS)
  }

  /** Sessions are made as they are needed, and end after ten seconds without use. */
  protected async opened<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
    const opening = this.#warehouse ?? openWarehouse(this.options)
    this.#warehouse = opening
    try {
      return await work(await opening)
    } catch (error) {
      // A failed opening must not fail all later calls.
      if (await opening.then(() => false).catch(() => true)) this.#warehouse = undefined
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const warehouse = await this.#warehouse?.catch(() => undefined)
    await warehouse?.close()
  }
}

class EmbeddedSource extends WarehouseSource {
  constructor(options: WarehouseOptions, timeoutSeconds: number) {
    super(options, timeoutSeconds, 1)
  }

  protected async opened<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
    const warehouse = await openWarehouse(this.options)
    try {
      return await work(warehouse)
    } finally {
      await warehouse.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The accounts of a run, if they have names. */
function accountsOf(run: ListedRun | undefined): { readonly accounts?: readonly unknown[] } {
  const named = namedAccounts(run?.accounts ?? null)
  if (named.length === 0) return {}
  return {
    accounts: named.map(({ account, name, projects, read, error }) => {
      return { account, name: shortened(name, 100), projects, read, error: shortened(error, 200) }
    }),
  }
}

/** The latest runs, the last one over everything, and what the latest finished one could not read completely. */
async function statusOf(warehouse: Warehouse): Promise<Readonly<Record<string, unknown>>> {
  await warehouse.lookup() // the version of the schema
  const runs = await warehouse.log.runs(RUNS)
  const last = runs.find(({ status }) => status !== 'running')
  const whole = await warehouse.log.lastFinishedRun(undefined, { coversAll: true })
  const changes = last && (await warehouse.log.runChanges(last.run_id, { projects: 0, scopes: INCOMPLETE_SCOPES }))
  return {
    runs: runs.map(({ run_id, started_at, finished_at, status, covers_all, error, ...counts }) => ({
      run_id,
      started_at,
      finished_at,
      status,
      covers_all,
      error: shortened(error),
      rows_inserted: counts.rows_inserted,
      rows_updated: counts.rows_updated,
      rows_deleted: counts.rows_deleted,
    })),
    ...accountsOf(last),
    last_run_over_everything: whole && { run_id: whole.run_id, started_at: whole.started_at, status: whole.status },
    incomplete_scopes_of_last_run: changes?.incomplete_scopes ?? 0,
    incomplete: (changes?.incomplete ?? []).map((scope) => ({
      ...scope,
      project_name: shortened(scope.project_name, 100),
      error: shortened(scope.error, 200),
    })),
    warnings: (changes?.warnings ?? []).map((scope) => ({
      ...scope,
      project_name: shortened(scope.project_name, 100),
      warning: shortened(scope.warning, 200),
    })),
  }
}
