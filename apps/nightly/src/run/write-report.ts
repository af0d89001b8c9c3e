import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Settings } from '@collab-etl/cli'
import type { Night } from '@collab-etl/observability'
import type { ReportChanges, ReportFacts } from '@collab-etl/observability/report'
import { INTERRUPTED } from './steps.ts'

/** Time limit for reading the warehouse, in milliseconds. The report is then written without it. */
const DEADLINE_MS = 60_000

/** Numbers that are read at most. The page shortens both lists further if they are too long. */
const MOST = { projects: 2000, scopes: 500 } as const

/** A report that was written. */
export interface WrittenReport {
  readonly path: string
  /** Size in bytes. */
  readonly bytes: number
  /** Why it has no data of the warehouse; `null` if it has. */
  readonly warehouseProblem: string | null
}

/** How the warehouse is read. */
export interface ReadingOptions {
  /** Why it is not read at all. */
  readonly knownProblem?: string | undefined
  /** Whether no warehouse is no problem. Default: `false`. */
  readonly mayBeMissing?: boolean
}

/**
 * Writes the report of these nights into a directory. If the warehouse cannot be read, the report says so.
 * @param nights the oldest first
 * @throws if the directory cannot be written
 */
export async function writeNightReport(
  { settings, signal }: Pick<Context, 'settings' | 'signal'>,
  directory: string,
  nights: readonly Night[],
  { knownProblem, mayBeMissing = false }: ReadingOptions = {},
): Promise<WrittenReport> {
  const problem = knownProblem ?? (signal.aborted ? INTERRUPTED : null)
  const read =
    problem === null
      ? await readWarehouse(settings, nights.at(-1), { signal, mayBeMissing })
      : { changes: null, warehouseProblem: problem }
  // loaded only here, as it draws charts
  const { writeReport } = await import('@collab-etl/observability/report')
  const written = await writeReport(directory, { nights, ...read, writtenAt: new Date() })
  return { ...written, warehouseProblem: read.warehouseProblem }
}

interface Reading {
  readonly signal: AbortSignal
  readonly mayBeMissing: boolean
}

type FromWarehouse = Pick<ReportFacts, 'changes' | 'warehouseProblem'>

async function readWarehouse(
  settings: Settings,
  last: Night | undefined,
  { signal, mayBeMissing }: Reading,
): Promise<FromWarehouse> {
  const late = new AbortController()
  try {
    const reading = readChanges(settings, last, { signal: late.signal, mayBeMissing })
    reading.catch(() => {}) // after the deadline, its failure does not matter
    const changes = await Promise.race([
      reading,
      // a job that was interrupted may soon be killed, and its night is not on record yet
      new Promise<never>((_, reject) => {
        const fail = () => reject(new Error(INTERRUPTED))
        signal.addEventListener('abort', fail, { signal: late.signal })
      }),
      sleep(DEADLINE_MS, undefined, { signal: late.signal, ref: false }).then(() => {
        throw new Error(`the warehouse did not answer within ${DEADLINE_MS / 1000} s`)
      }),
    ])
    return { changes, warehouseProblem: null }
  } catch (error) {
    return { changes: null, warehouseProblem: problemOf(settings, error) }
  } finally {
    late.abort()
  }
}

/** The changes of a night's run, or of the last run that finished if the night has none; `null`: none did. */
async function readChanges(
  { databaseUrl, dataDir, schema }: Settings,
  night: Night | undefined,
  { signal, mayBeMissing }: Reading,
): Promise<ReportChanges | null> {
  const { isWarehouseError, openWarehouse } = await import('@collab-etl/warehouse')
  const warehouse = await openWarehouse({
    databaseUrl: databaseUrl?.reveal(),
    dataDir,
    schema,
    signal,
    mustExist: true,
  }).catch((error: unknown) => {
    if (mayBeMissing && isWarehouseError(error, 'NO_WAREHOUSE')) return null
    throw error
  })
  if (warehouse === null) return null
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= warehouse.close()
    return closed
  }
  // ends a query that takes too long
  signal.addEventListener('abort', () => void close().catch(() => {}))
  try {
    const version = await warehouse.admin.schemaVersion()
    if (version === 0) return null
    if (version !== warehouse.supportedVersion)
      throw new Error(`its schema has version ${version}, and this program reads ${warehouse.supportedVersion}`)
    const runId = night?.snapshot?.run_id
    if (runId !== undefined) {
      const ofNight = await warehouse.log.runChanges(runId, MOST)
      if (ofNight === null)
        throw new Error(`it does not have run ${runId}, the last one on record: is it another warehouse?`)
      return ofNight
    }
    const last = await warehouse.log.lastFinishedRun()
    if (last === null) return null
    if (!isSameService(last.base_url, night?.base_url ?? null))
      throw new Error(`its last run read ${last.base_url}, and the last one on record ${night?.base_url}`)
    return await warehouse.log.runChanges(last.run_id, MOST)
  } finally {
    await close()
  }
}

/** Whether a night is of this service, or of an unknown one. */
function isSameService(baseUrl: string, ofNight: string | null): boolean {
  const [of, other] = [baseUrl, ofNight ?? baseUrl].map((url) => (URL.canParse(url) ? new URL(url) : null))
  if (!of || !other) return true
  const [path, otherPath] = [of, other].map(({ pathname }) => pathname.replace(/\/+$/, ''))
  return of.host === other.host && path === otherPath
}

/** One line. Errors of the warehouse name it without its password. */
function problemOf({ databaseUrl }: Settings, error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ')
  return databaseUrl?.scrub(message) ?? message
}
