import { join } from 'node:path'
import type { TemporaryDirectory } from '@collab-etl/bagit'
import { type Context, clientOptions, formatNumber, futureError, requireService, UsageError } from '@collab-etl/cli'
import type { KnownId } from '@collab-etl/core'
import { isSameService, isWarehouseError } from '@collab-etl/warehouse'
import type { BackupOptions } from '../backup/options.ts'
import { type BackupRows, extentOf } from '../source/backup-rows.ts'
import { type FilledWarehouse, findWarehouse } from '../source/find-warehouse.ts'
import { openWarehouseSource } from '../source/warehouse-source.ts'

type From = 'api' | 'warehouse'

/** A source that can be opened; disposing of it closes what was opened to find it. */
export interface ChosenSource extends AsyncDisposable {
  open(temporary: TemporaryDirectory): Promise<BackupRows>
}

export interface SourceRequest {
  /** `undefined`: the warehouse if it has a finished run, else the service. */
  readonly from: From | undefined
  /** The state at a time, which the warehouse alone knows; `undefined`: as it is now. */
  readonly asOf: Date | undefined
  readonly knownPosts: ReadonlyMap<string, readonly KnownId[]>
  readonly options: BackupOptions
  readonly onProject: (done: number, total: number) => void
}

/** Decides where a backup is made from, before anything is written. */
export async function chooseSource(context: Context, request: SourceRequest): Promise<ChosenSource> {
  const { asOf } = request
  if (request.from === 'api') {
    if (asOf !== undefined)
      throw new UsageError('--as-of is for --from warehouse: the service knows its present state only')
    return await apiSource(context, request)
  }
  const line = context.progress.line('opening the warehouse', { atOnce: context.settings.databaseUrl === undefined })
  const opened = findWarehouse(context.settings, context.signal, asOf).finally(() => line.end())
  const found = await opened.catch((error: unknown) => {
    const isService = request.from === undefined && asOf === undefined && context.settings.baseUrl !== undefined
    if (isService && isWarehouseError(error, 'NO_WAREHOUSE')) return null
    throw error
  })
  if (found && (found.run.covers_all || asOf !== undefined || request.from === 'warehouse')) {
    const refusal = warehouseRefusal(context, found, request)
    if (refusal === null) return warehouseSource(found, request)
    await found.warehouse.close()
    throw refusal
  }
  if (asOf !== undefined) {
    throw new UsageError(
      `the warehouse has no finished run that began by ${asOf.toISOString()}: collab-extract runs lists those it has`,
    )
  }
  if (request.from === 'warehouse') {
    throw new UsageError('the warehouse has no finished run: run collab-extract snapshot first, or give --from api')
  }
  if (found === null) context.log.debug('the warehouse has no finished run: reading from the service')
  else {
    await found.warehouse.close()
    context.log.info(`${PART_ONLY}: reading from the service; use --from warehouse to back up what it has`)
  }
  return await apiSource(context, request)
}

const PART_ONLY = 'the warehouse has no finished run over all projects and streams'

/** Why the warehouse cannot be the source; `null` where it can. By default it must hold the service of the base URL, if one is set. */
function warehouseRefusal(
  { settings: { baseUrl, schema } }: Context,
  { run }: FilledWarehouse,
  { from, asOf, knownPosts }: SourceRequest,
): UsageError | null {
  const future =
    asOf === undefined
      ? null
      : futureError('--as-of', asOf, { byDefault: 'the present state', lastRun: run.started_at })
  if (future !== null) return future
  if (knownPosts.size > 0) {
    return new UsageError(
      '--post and --posts-file are for --from api: what is in the warehouse was read by collab-extract snapshot',
    )
  }
  if (from === 'warehouse' || baseUrl === undefined || isSameService(run.base_url, baseUrl)) return null
  return new UsageError(
    `schema ${schema} of the warehouse holds the data of ${run.base_url}, and the base URL is ${baseUrl}: ` +
      '--from warehouse backs up the former, --from api the latter',
  )
}

function warehouseSource({ warehouse, run }: FilledWarehouse, { asOf, options }: SourceRequest): ChosenSource {
  return {
    open: () => openWarehouseSource(warehouse, run, asOf, extentOf(options), options.pids),
    [Symbol.asyncDispose]: () => warehouse.close(),
  }
}

async function apiSource(context: Context, { knownPosts, options, onProject }: SourceRequest): Promise<ChosenSource> {
  // A backup of the warehouse does not need the client, which takes most of the time to load.
  const [{ openApiSource }, { createClient }] = await Promise.all([
    import('../source/api-source.ts'),
    import('@collab-etl/core'),
  ])
  const { baseUrl } = requireService(context.settings)
  const { extended } = context.settings
  const client = createClient({ ...(await clientOptions(context)), offered: extended === 'off' ? null : {} })
  const { pids, links, serviceHosts } = options
  const extent = extentOf(options)
  return {
    open: ({ path }) =>
      openApiSource({
        client,
        baseUrl,
        pids,
        knownPosts,
        links,
        serviceHosts,
        extent,
        onProject,
        spoolFolder: join(path, 'spool'),
        signal: context.signal,
        onSuspicious: (scopes) =>
          context.log.warn(
            `${formatNumber(scopes, 'scope')} may be incomplete: their lists have lengths at which services cut lists, and this service does not state the full length`,
          ),
      }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
