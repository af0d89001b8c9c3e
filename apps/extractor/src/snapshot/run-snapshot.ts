import {
  CliError,
  type Context,
  clientOptions,
  EXIT,
  formatNumber,
  plainText,
  requireService,
  toFailure,
} from '@collab-etl/cli'
import {
  type Client,
  chooseProjects,
  createClient,
  DiscoveredIds,
  type DiscoveryTotals,
  listProjects,
  type ProjectList,
  type ProjectToRead,
  type RequestStats,
  readProjects,
} from '@collab-etl/core'
import type { LeftOutField, Run } from '@collab-etl/warehouse'
import { toCliError } from '../errors.ts'
import { Display } from '../reading/display.ts'
import { createWarehouse } from '../warehouse.ts'
import { type EventsBeyond, eventsBeyond } from './events-outside.ts'
import type { SnapshotOptions } from './options.ts'
import { decideOutcome, noteNotAllowed, type Outcome } from './outcome.ts'
import { addUnlisted, markAbsent, noteLostAccess } from './project-presence.ts'
import { openStage, prepareReading, type Reading, readOptions, readUnowned } from './read-projects.ts'
import { Refresh } from './refresh.ts'
import { findResumable, type Resumable } from './resume.ts'
import { storedOptions } from './run-options.ts'
import { Tally } from './tally.ts'

/** Everything that is reported about a run. */
export interface SnapshotResult {
  readonly runId: string
  readonly outcome: Outcome
  /** What ended it early. */
  readonly failure: CliError | undefined
  /** Ids of the projects that were to be read. */
  readonly pids: readonly string[]
  /** Projects that were read although they are missing from the list. */
  readonly unlisted: readonly string[]
  readonly names: ReadonlyMap<string, string>
  readonly stats: Readonly<RequestStats>
  readonly tally: Tally
  readonly posts: DiscoveryTotals
  readonly files: DiscoveryTotals
  readonly lossesByKind: Readonly<Record<string, number>>
  readonly leftOut: readonly LeftOutField[]
  /** Live events outside the range that was read; `null`: there are none. */
  readonly eventsOutside: EventsBeyond | null
  readonly resumedRunId: string | null
  /** Projects whose archived tasks were read on from a checkpoint, and its page. */
  readonly resumedWalks: ReadonlyMap<string, number>
  readonly location: string
  readonly schema: string
  readonly durationMs: number
}

/**
 * Reads projects into the warehouse, each published by itself. A failure after the run has begun is reported in its result
 * and in the run log.
 * @throws what fails before the run has begun; nothing was changed then
 */
export async function runSnapshot(context: Context, options: SnapshotOptions): Promise<SnapshotResult> {
  const { baseUrl } = requireService(context.settings)
  const warehouse = await createWarehouse(context.settings)
  try {
    await using _lock = await warehouse.lock()
    if (!options.rebinds) await warehouse.requireService(baseUrl)
    await warehouse.migrate()
    context.signal.throwIfAborted()
    const of = { baseUrl, toolVersion: context.version, options: storedOptions(options) }
    const resumed = await findResumable(warehouse, { ...of, resume: options.resume })
    if (options.resume !== 'off') logResumed(context, resumed)
    const earlierLists = await warehouse.earlierLists(baseUrl)
    const client = createClient({
      ...clientOptions(context),
      maxRequests: options.maxRequests,
      maxDurationMs: options.maxDurationMs,
    })
    client.findings.noteEarlierLists(earlierLists)
    const display = new Display(context.progress, client)
    try {
      const since = new Date()
      // Read the list before the run begins: it shows whether this is the service that the warehouse belongs to.
      const [list] = await Promise.allSettled([listProjects(client, context)])
      const listed = list.status === 'fulfilled' ? new Set(list.value.projects.map(({ pid }) => pid)) : undefined
      const marked = await warehouse.scopesToReread()
      if (marked.length > 0 && !options.full) {
        context.log.info(
          `compare found differences in ${formatNumber(marked.length, 'scope')}: this run compares every value of those it reads`,
        )
      }
      const run = await warehouse.beginRun({
        ...{ ...of, resumes: resumed !== null, readAs: linkForms(options) },
        // Off unless asked for: over random nights, shown names once in some twenty led to another version than parsing does.
        parsesAll: process.env['COLLAB_SKIP_UNCHANGED_BYTES'] !== '1',
        ...{ since, listed, rebinds: options.rebinds, acceptClock: options.acceptClock, full: options.full },
      })
      const reading = {
        ...{ client, warehouse, run, options, resumed, resumedWalks: new Map(), log: logOfRun(context, run.id) },
        ...{ tally: new Tally(), ids: new DiscoveredIds(), display, lost: new Set<string>(), unlisted: [] },
        events: { range: null, moved: 0 },
        refresh: await Refresh.of(warehouse, run, options, marked),
      }
      reading.log.info({ base_url: baseUrl, resumes: resumed?.runId }, 'run started')
      const result = await readAll(context, reading, list)
      logEnd(reading.log, result)
      return result
    } finally {
      display.end()
      await client.close()
    }
  } finally {
    await warehouse.close()
  }
}

/** The settings that decide which addresses in texts count as links, as a text to compare. */
function linkForms({ links, serviceHosts }: SnapshotOptions): string {
  return JSON.stringify([links.map(({ kind, pattern }) => [kind, pattern.source, pattern.flags]), serviceHosts])
}

/** The log of a run: each line has its id. A terminal shows the progress instead of the lines of start, projects and end. */
function logOfRun({ log, progress, settings }: Context, runId: string): Context['log'] {
  const isQuiet = progress.isShown && log.level === 'info' && settings.logFormat !== 'json'
  return log.child({ run_id: runId }, isQuiet ? { level: 'warn' } : {})
}

function logEnd(log: Context['log'], { outcome, pids, stats, durationMs, tally, failure }: SnapshotResult): void {
  const { requests, retries, bytes } = stats
  const counts = { projects: pids.length, requests, retries, bytes, losses: tally.losses }
  const error = failure && { error: failure.message }
  log.info({ status: outcome.status, ...counts, duration_ms: durationMs, ...error }, 'run ended')
}

function logResumed({ log }: Context, resumed: Resumable | null): void {
  if (resumed === null) log.info('there is no interrupted run to resume: reading everything')
  else if (resumed.readAgain !== null) {
    log.info(
      `resuming run ${resumed.runId}: some projects that it published are read again, because ${resumed.readAgain}`,
    )
  }
}

/** The list of projects, or why it could not be read. */
type ListOutcome = PromiseSettledResult<ProjectList>

async function readAll(context: Context, reading: Reading, list: ListOutcome): Promise<SnapshotResult> {
  const { client, warehouse, run, tally, ids } = reading
  // Filled while projects are read, as the run may end at any time.
  const projects: ProjectToRead[] = []
  let failure: CliError | undefined
  let durationMs: number | undefined
  try {
    if (list.status === 'rejected') throw list.reason
    await readList(context, reading, list.value, projects)
    await noteNotAllowed(reading)
  } catch (error) {
    failure = failureOf(error, context)
  }
  const outcomeNow = () => decideOutcome(failure, tally.scopes)
  try {
    durationMs = await finish(run, client, outcomeNow(), failure, tally)
  } catch (error) {
    failure ??= failureOf(error, context)
    reading.log.warn('the run could not be closed in the run log; the next run will close it')
  }
  const pids = projects.map(({ pid }) => pid)
  // Only for the summary: a failure of the database was reported before.
  const lossesByKindOrNone =
    tally.losses === 0 ? {} : Object.fromEntries(await warehouse.countLosses(run.id).catch(() => []))
  const hasLeftOut = 'left_out' in lossesByKindOrNone
  const read = new Set(tally.scopes.map(({ pid }) => pid).filter((pid) => pid !== null))
  return {
    ...{ runId: run.id, outcome: outcomeNow(), failure, pids, tally },
    unlisted: reading.unlisted,
    names: new Map(projects.map(({ pid, listed }) => [pid, plainText(listed?.name ?? '')])),
    stats: { ...client.stats },
    posts: ids.totals('post', read),
    files: ids.totals('file', read),
    lossesByKind: lossesByKindOrNone,
    leftOut: hasLeftOut ? await warehouse.leftOutFields(run.id).catch(() => []) : [],
    // Only for the summary, as well.
    eventsOutside: await eventsBeyond(reading).catch(() => null),
    resumedRunId: reading.resumed?.runId ?? null,
    resumedWalks: reading.resumedWalks,
    location: warehouse.location,
    schema: warehouse.schema,
    // as `runs` shows it; a run that could not be closed has no end there
    durationMs: durationMs ?? Math.max(0, Date.now() - run.startedAt.getTime()),
  }
}

/** A failure during a run is no usage error: exit code 2 means that nothing was changed. */
function failureOf(error: unknown, { signal }: Context): CliError {
  const failure = toFailure(error, toCliError, signal)
  if (failure.exitCode !== EXIT.usage) return failure
  return new CliError(failure.message, { code: failure.code, cause: failure.cause })
}

async function finish(
  run: Run,
  client: Client,
  { status }: Outcome,
  failure: CliError | undefined,
  tally: Tally,
): Promise<number> {
  const { requests, retries, bytes } = client.stats
  const { tables, losses, durationMs } = await run.finish({ status, requests, retries, bytes, error: failure?.message })
  tally.addTables(tables)
  tally.losses += losses
  return durationMs
}

async function readList(
  { signal, settings }: Context,
  reading: Reading,
  list: ProjectList,
  projects: ProjectToRead[],
): Promise<void> {
  const { client, warehouse, options, display, tally, ids } = reading
  if (options.namedPosts.length > 0) await warehouse.addKnown(options.namedPosts)
  projects.push(...chooseProjects(list.projects, options.projects))
  await readUnowned(reading, list.result, signal)
  const notFound = await addUnlisted(reading, list, projects, signal)
  await noteLostAccess(reading, projects)
  display.expect(projects.length, options.streams.size)
  const { baseUrl } = requireService(settings)
  await readProjects(client, reading.refresh.ordered(projects), {
    read: readOptions(options),
    links: { baseUrl, serviceHosts: options.serviceHosts, pids: list.projects.map(({ pid }) => pid) },
    prepare: (project) => prepareReading(reading, project),
    openSink: (project) => openStage(reading, project),
    mayFollowUp: (pid, stream) => tally.mayFollowUp(pid, stream),
    projectsAtOnce: options.projectsAtOnce,
    ...{ ids, signal },
  })
  if (options.streams.has('projects')) await markAbsent(reading, list, { projects, notFound })
}
