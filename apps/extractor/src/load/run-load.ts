import { realpath } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { CliError, type Context, EXIT, formatCount, formatNumber, type ProgressLine } from '@collab-etl/cli'
import { type CountsByTable, compareBackups, type Load, type TableCounts, type Warehouse } from '@collab-etl/warehouse'
import { addCounts } from '../snapshot/tally.ts'
import { compareTables, differingText } from './compare-tables.ts'
import { acceptedIn, loadBackup, type OpenedBackup } from './load-backup.ts'
import { type Missing, missingIn, missingLines } from './missing.ts'
import { backupsIn, openBackup, requireOneService } from './sources.ts'

/** A backup that was loaded. */
interface LoadedBackup {
  readonly backup: string
  readonly run_id: string
  /** When its data were read: the `valid_from` of its rows. */
  readonly read_at: string
  readonly status: 'succeeded' | 'partial'
}

export interface LoadResult {
  readonly source: string
  readonly baseUrl: string
  readonly location: string
  readonly schema: string
  /** The oldest first. */
  readonly loaded: readonly LoadedBackup[]
  /** Names of those that an earlier call loaded. */
  readonly earlier: readonly string[]
  /** Tables that were compared with their hashes in the newest backup. */
  readonly compared: readonly string[]
  /** What cannot come back from the newest of the backups. */
  readonly missing: readonly Missing[]
  readonly tables: CountsByTable
  readonly durationMs: number
}

export interface LoadOptions {
  /** As the user named it. */
  readonly from: string
  /** The directory of the backup, where that is another one: an unpacked archive. */
  readonly unpacked: string | null
  readonly openWarehouse: () => Promise<Warehouse>
}

type Source = OpenedBackup & { readonly baseUrl: string }

/** Loads a backup, or all backups of a directory, the oldest first. Nothing is written before all of them are opened. */
export async function runLoad(context: Context, { from, unpacked, openWarehouse }: LoadOptions): Promise<LoadResult> {
  const { signal, progress } = context
  const begun = performance.now()
  const source = await realpath(resolve(from)).catch(() => resolve(from))
  const line = progress.line(`opening ${from}`)
  const opened: Source[] = []
  try {
    for (const path of (unpacked === null ? await backupsIn(source) : null) ?? [unpacked ?? source]) {
      signal.throwIfAborted()
      opened.push(await openBackup(path, unpacked === null ? null : basename(source)))
    }
    requireOneService(opened)
    const backups = opened.toSorted(compareBackups)
    const missing = reportMissing(context, backups)
    await using warehouse = await openWarehouse()
    // an older schema holds something: it is refused as it is
    if ((await warehouse.admin.schemaVersion()) === 0) await warehouse.admin.migrate()
    await using _lock = await warehouse.runs.lock()
    const load = await warehouse.runs.load({ source, backups })
    const earlier = backups.filter(({ name }) => !load.missing.includes(name)).map(({ name }) => name)
    const tables = new Map<string, TableCounts>()
    const loaded = await loadAll({ context, warehouse, load, line, tables }, backups)
    line.update('comparing')
    const compared = await compare({ context, warehouse, load }, backups)
    await load.end()
    const { location, schema } = warehouse
    const baseUrl = backups[0]?.baseUrl ?? ''
    return {
      source,
      baseUrl,
      location,
      schema,
      loaded,
      earlier,
      compared,
      missing,
      tables: Object.fromEntries(tables),
      durationMs: performance.now() - begun,
    }
  } finally {
    line.end()
    for (const { batches } of opened) await batches[Symbol.asyncDispose]()
  }
}

interface Parts {
  readonly context: Context
  readonly warehouse: Warehouse
  readonly load: Load
  readonly line: ProgressLine
  readonly tables: Map<string, TableCounts>
}

async function loadAll(parts: Parts, backups: readonly Source[]): Promise<LoadedBackup[]> {
  const { load, line } = parts
  const waiting = backups.filter(({ name }) => load.missing.includes(name))
  const total = waiting.reduce((sum, { backup }) => sum + recordsIn(backup.manifest), 0)
  const loaded: LoadedBackup[] = []
  let done = 0
  for (const [index, opened] of waiting.entries()) {
    const onRecords = (count: number) => {
      done += count
      const which =
        waiting.length === 1 ? opened.name : `${opened.name}, ${formatCount(index + 1)} of ${waiting.length}`
      line.update(() => ({ text: `loading ${which}: ${formatNumber(done, 'record')}`, done, total }))
    }
    const isFirst = load.begun.length === 0 && index === 0
    loaded.push(await loadOne(parts, opened, isFirst, onRecords))
  }
  return loaded
}

async function loadOne(
  { context, warehouse, load, tables }: Parts,
  opened: Source,
  isFirst: boolean,
  onRecords: (count: number) => void,
): Promise<LoadedBackup> {
  const { name, backup, batches, facts, readAt, baseUrl } = opened
  const { projects } = facts.coverage
  const run = await load.run(opened, {
    baseUrl,
    toolVersion: context.version,
    options: { projects: projects && [...projects], streams: [...batches.streams, 'teams'] },
  })
  const addTables = (counts: CountsByTable) => addCounts(tables, counts)
  await loadBackup({ ...opened, warehouse, load, run, isFirst, signal: context.signal, onRecords, addTables })
  const status = facts.data === 'partial' ? 'partial' : 'succeeded'
  const finished = await run.finish({
    status,
    requests: 0,
    retries: 0,
    bytes: 0,
    accepted: acceptedIn(backup.manifest),
    finishedAt: readAt,
    hasStoredUsers: batches.hasUsers,
  })
  addTables(finished.tables)
  context.log.info({ backup: name, run_id: run.id, read_at: readAt.toISOString() }, 'backup loaded')
  return { backup: name, run_id: run.id, read_at: run.startedAt.toISOString(), status }
}

/**
 * Compares the tables with their hashes in the newest backup, and warns if it has none that fit.
 * @returns the tables that were compared
 * @throws CliError if they differ
 */
async function compare(
  { context, warehouse, load }: Pick<Parts, 'context' | 'warehouse' | 'load'>,
  backups: readonly Source[],
): Promise<readonly string[]> {
  const newest = backups.at(-1)
  if (newest === undefined) return []
  const isAlone = new Set([...load.begun, ...load.missing]).size === 1
  const { compared, differing } = await compareTables(warehouse, newest, isAlone)
  if (differing.length > 0) {
    const what = `the tables are not as ${newest.name} states: ${differingText(differing)}`
    throw new CliError(`${what}. No other command reads this warehouse: load into another one`, {
      exitCode: EXIT.damage,
      code: 'DIFFERENT',
    })
  }
  if (compared.length === 0) {
    const hasNone = newest.backup.manifest.tables === undefined
    const why = hasNone ? 'does not state what its tables hold' : 'has no table with all its columns'
    context.log.warn(`the loaded tables were not compared: ${newest.name}, the newest backup, ${why}`)
  }
  return compared
}

/** Says what cannot come back, before anything is written. */
function reportMissing({ log }: Context, backups: readonly Source[]): Missing[] {
  const of = (source: Source | undefined) => (source === undefined ? [] : missingIn(source.batches.tables))
  const newest = of(backups.at(-1))
  const lines = missingLines(newest)
  const text = `the backup does not have, and load cannot bring back: ${lines.join('; ')}`
  // no backup has personal webhooks
  if (newest.length > 1) log.warn(text)
  else log.info(text)
  return newest
}

function recordsIn({ projects }: OpenedBackup['backup']['manifest']): number {
  return projects.reduce(
    (sum, { counts = {} }) => sum + Object.values(counts).reduce((all, count) => all + count, 0),
    0,
  )
}
