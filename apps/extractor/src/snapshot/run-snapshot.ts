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
import type { Account } from '@collab-etl/contract'
import {
  type Client,
  DiscoveredIds,
  type DiscoveryTotals,
  listProjects,
  newStats,
  type Offered,
  type ProjectToRead,
  type RequestStats,
  readProjects,
  tryOperations,
} from '@collab-etl/core'
import {
  type AcceptedScope,
  type Budget,
  type LeftOutField,
  ownerOf,
  type Run,
  type ScopeToReread,
  type Warehouse,
} from '@collab-etl/warehouse'
import { toCliError } from '../errors.ts'
import { Display } from '../reading/display.ts'
import { createWarehouse } from '../warehouse.ts'
import { type AcceptanceNotes, markAccepted } from './accepted.ts'
import {
  type AccountReport,
  accountReports,
  noteRead,
  noteReaders,
  noteSeenBefore,
  renameAccounts,
} from './accounts.ts'
import { Distribution } from './distribution.ts'
import { type EventsBeyond, eventsBeyond } from './events-outside.ts'
import { logEnd, logOfRun, logResumed } from './log-lines.ts'
import type { SnapshotOptions } from './options.ts'
import { decideOutcome, noteNotAllowed, type Outcome } from './outcome.ts'
import { requireOwnersOfRun, requireSameOwners } from './owner.ts'
import { type Found, findProjects, markAbsent, requireProject } from './project-presence.ts'
import { engineOptions, type SnapshotReading, streamsOfProjects } from './read-projects.ts'
import { Refresh } from './refresh.ts'
import { findResumable } from './resume.ts'
import { budgetOf, clientOf, scheduleOf } from './run-client.ts'
import type { WorkerShare } from './run-document.ts'
import { storedOptions } from './run-options.ts'
import { leftOf, withShared } from './shared-options.ts'
import { findTakeover, type Takeover } from './takeover.ts'
import { Tally } from './tally.ts'

/** Everything that is reported about a run. */
export interface SnapshotResult extends Readonly<Pick<SnapshotReading, 'unlisted' | 'deleted'>> {
  readonly runId: string
  /** The token's owner; `null` if the service does not say whose token it is, or if the accounts have names. */
  readonly account: Account | null
  /** Accounts that have names. */
  readonly accounts: readonly AccountReport[]
  readonly firstRunAt: string | null
  readonly outcome: Outcome
  /** What ended it early. */
  readonly failure: CliError | undefined
  readonly pids: readonly string[]
  readonly names: ReadonlyMap<string, string>
  readonly stats: Readonly<RequestStats>
  readonly tally: Tally
  readonly posts: DiscoveryTotals
  readonly files: DiscoveryTotals
  readonly lossesByKind: Readonly<Record<string, number>>
  readonly leftOut: readonly LeftOutField[]
  /** Optional operations whose finding differs from that of the last run. */
  readonly newlyOffered: Offered
  /** Live events outside the range that was read; `null`: there are none. */
  readonly eventsOutside: EventsBeyond | null
  readonly acceptance: AcceptanceNotes
  readonly resumedRunId: string | null
  /** Projects and requests of each worker; `null`: the run had none. */
  readonly workers: readonly WorkerShare[] | null
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
export async function runSnapshot(context: Context, given: SnapshotOptions): Promise<SnapshotResult> {
  const { baseUrl } = requireService(context.settings)
  await clientOptions(context) // throws if there is no token
  await using warehouse = await createWarehouse(context)
  warehouse.limitWaits({ afterMs: given.maxDurationMs, signal: context.signal })
  await using _lock = await warehouse.runs.lock({ again: given.again })
  if (!given.rebinds) await warehouse.runs.requireService(baseUrl)
  await warehouse.admin.migrate()
  context.signal.throwIfAborted()
  const taken = await findTakeover(context, warehouse, given)
  const options = taken === null ? given : withShared(given, taken.document.options)
  const toRead = { warehouse, options, taken }
  const budget = budgetOf(toRead)
  if (taken !== null) warehouse.limitWaits({ afterMs: leftOf(budget, taken.plan), signal: context.signal })
  await using schedule = await scheduleOf(context, toRead, budget)
  const client = await clientOf(context, toRead, schedule)
  const display = new Display(context.progress, client)
  const parts = { context, client, warehouse, options, display, baseUrl, budget }
  try {
    return await (taken === null ? beginAnew(parts) : takeOver(parts, taken))
  } finally {
    display.end()
    await client.close()
  }
}

/** Objects that a run uses, made before it begins. */
interface Parts {
  readonly context: Context
  readonly client: Client
  readonly warehouse: Warehouse
  readonly options: SnapshotOptions
  readonly display: Display
  readonly baseUrl: string
  /** The budget of all processes of a run with workers. */
  readonly budget: Budget | null
}

async function beginAnew(parts: Parts): Promise<SnapshotResult> {
  const { context, client, warehouse, options, baseUrl, budget } = parts
  const of = { baseUrl, toolVersion: context.version, options: storedOptions(options, context.settings) }
  const resumed = await findResumable(warehouse, { ...of, resume: options.resume })
  if (options.resume !== 'off') logResumed(context, resumed)
  const since = new Date()
  const heirs = await noteSeenBefore(client, warehouse, { baseUrl, signal: context.signal, forgotten: options.forgets })
  // Read the list before the run begins: it shows whether this is the service that the warehouse belongs to.
  const [list] = await Promise.allSettled([listProjects(client, context)])
  if (list.status === 'fulfilled') await tryOperations(client, list.value.projects, context)
  const { names, owners } = client.accounts
  await requireSameOwners(warehouse, owners, { baseUrl, acceptsAccount: options.acceptsAccount })
  // if an account failed that may see more, the list does not show that this is another service; accounts of earlier runs do not read
  const isWhole = list.status === 'fulfilled' && !names.some((name) => list.value.failed.has(name))
  const listed = isWhole ? new Set(list.value.projects.map(({ pid }) => pid)) : undefined
  if (listed !== undefined) await requireProject(parts, listed)
  const marked = await warehouse.log.scopesToReread()
  if (marked.length > 0 && !options.full) {
    context.log.info(
      `compare found differences in ${formatNumber(marked.length, 'scope')}: this run compares every value of those it reads`,
    )
  }
  const readAs = linkForms(options)
  const run = await warehouse.runs.begin({
    ...of,
    resumes: resumed !== null,
    readAs,
    options: { ...of.options, ...(resumed && { resumed_run: resumed.runId }) },
    since,
    listed,
    rebinds: options.rebinds,
    acceptClock: options.acceptClock,
    full: options.full,
  })
  await renameAccounts(context, warehouse, heirs)
  const readers = list.status === 'fulfilled' ? await noteReaders(run, client, list.value) : null
  const reading = await readingOf(parts, run, { resumed, marked, readers })
  reading.log.info({ base_url: baseUrl, resumes: resumed?.runId }, 'run started')
  const distribution =
    options.workers === null
      ? null
      : new Distribution(
          context,
          await warehouse.runs.queue.coordinate(run),
          { marked, readAs, budget },
          options.workers,
          false,
        )
  return await readAll(context, reading, distribution, (projects) => {
    if (list.status === 'rejected') throw list.reason
    return findProjects(reading, list.value, projects, context.signal)
  })
}

/** Continues a run whose coordinator has ended, as its coordinator. */
async function takeOver(parts: Parts, { plan, document }: Takeover): Promise<SnapshotResult> {
  const { context, client, warehouse, options, budget } = parts
  await requireOwnersOfRun(client, document, context.signal)
  const { run, coordinator } = await warehouse.runs.queue.takeOver(plan)
  const { resumedRunId, marked, readAs, listed, notFound } = document
  // which projects it published is in the jobs of the workers
  const kept = { published: new Set<string>(), notAllowed: new Map(), readAgain: null }
  const resumed = resumedRunId === null ? null : { runId: resumedRunId, ...kept }
  // what its accounts were offered, which this process does not ask again
  const accounts = (await warehouse.log.accountsOf(run.id)) ?? []
  for (const { account, offered } of accounts) client.accounts.addOffered(account, offered ?? {})
  const readers = { accounts, alone: new Map(document.alone) }
  const reading = await readingOf(parts, run, { resumed, marked, readers })
  reading.log.info({ base_url: plan.baseUrl, generation: coordinator.generation }, `run ${run.id} is taken over`)
  const ofWorkers = { marked, readAs, budget }
  const distribution = new Distribution(context, coordinator, ofWorkers, options.workers ?? 0, true)
  return await readAll(context, reading, distribution, async (projects) => {
    projects.push(...(await distribution.restore(reading, document)))
    return { listed, notFound: new Set(notFound) }
  })
}

async function readingOf(
  { context, client, warehouse, options, display }: Parts,
  run: Run,
  { marked, ...of }: Pick<SnapshotReading, 'resumed' | 'readers'> & { readonly marked: readonly ScopeToReread[] },
): Promise<SnapshotReading> {
  return {
    client,
    warehouse,
    run,
    options,
    ...of,
    resumedWalks: new Map(),
    log: logOfRun(context, run.id),
    tally: new Tally(),
    ids: new DiscoveredIds(),
    display,
    lost: new Set<string>(),
    unlisted: [],
    deleted: [],
    events: { range: null, moved: 0 },
    refresh: await Refresh.of(warehouse, run, options, { marked, offered: client.capabilities.known }),
  }
}

/** The settings that decide which addresses in texts count as links, as a text to compare. */
function linkForms({ links, serviceHosts }: SnapshotOptions): string {
  return JSON.stringify([links.map(({ kind, pattern }) => [kind, pattern.source, pattern.flags]), serviceHosts])
}

async function readAll(
  context: Context,
  reading: SnapshotReading,
  distribution: Distribution | null,
  find: (projects: ProjectToRead[]) => Promise<Found>,
): Promise<SnapshotResult> {
  const { warehouse, run, tally, ids } = reading
  // Filled while projects are read, as the run may end at any time.
  const projects: ProjectToRead[] = []
  let failure: CliError | undefined
  let durationMs: number | undefined
  let acceptance: AcceptanceNotes = { accepted: [], unneeded: [], ended: [] }
  try {
    await readFound(context, reading, distribution, { projects, ...(await find(projects)) })
    await reading.run.surviving(() => noteNotAllowed(reading), context.signal)
    acceptance = await reading.run.surviving(() => markAccepted(reading), context.signal)
  } catch (error) {
    failure = failureOf(error, context)
  }
  const outcomeNow = () => decideOutcome(failure, tally.scopes)
  const stats = () => sumOf(reading.client.stats, distribution?.stats)
  try {
    await distribution?.end(reading, failure !== undefined)
    await run.surviving(() => run.noteCapabilities(reading.client.capabilities.found), context.signal)
    await run.surviving(() => noteRead(run, reading), context.signal)
    // only now: a resumed run gets the same flags
    if (failure === undefined) for (const name of reading.options.forgets) await warehouse.runs.forgetAccount(name)
    const { accepted } = acceptance
    durationMs = await finish(run, stats(), outcomeNow(), { failure, tally, accepted })
  } catch (error) {
    failure ??= failureOf(error, context)
    reading.log.warn(
      { error: String(error) },
      distribution === null
        ? 'the run could not be closed in the run log; the next run will close it'
        : 'the run could not be closed in the run log; snapshot --workers 0 --resume continues it',
    )
  }
  await distribution?.close(durationMs !== undefined).catch((error: unknown) => {
    reading.log.debug({ error: String(error) }, 'the queue of the run could not be removed; the next run removes it')
  })
  const pids = projects.map(({ pid }) => pid)
  // What is only for the summary may be missing: a failure of the database was reported before.
  const lossesByKindOrNone =
    tally.losses === 0 ? {} : Object.fromEntries(await warehouse.log.countLosses(run.id).catch(() => []))
  const accounts = await warehouse.log.accountsOf(run.id).catch(() => null)
  const read = new Set(tally.scopes.map(({ pid }) => pid).filter((pid) => pid !== null))
  const result = {
    runId: run.id,
    outcome: outcomeNow(),
    failure,
    pids,
    tally,
    unlisted: reading.unlisted,
    deleted: reading.deleted,
    names: new Map(projects.map(({ pid, listed }) => [pid, plainText(listed?.name ?? '')])),
    stats: stats(),
    workers: distribution?.shares ?? null,
    posts: ids.totals('post', read),
    files: ids.totals('file', read),
    lossesByKind: lossesByKindOrNone,
    leftOut: 'left_out' in lossesByKindOrNone ? await warehouse.log.leftOutFields(run.id).catch(() => []) : [],
    account: ownerOf(accounts),
    accounts: accountReports(accounts, reading),
    firstRunAt: await warehouse.log.firstRunAt().catch(() => null),
    eventsOutside: await eventsBeyond(reading).catch(() => null),
    newlyOffered: reading.client.capabilities.changes,
    acceptance,
    resumedRunId: reading.resumed?.runId ?? null,
    resumedWalks: reading.resumedWalks,
    location: warehouse.location,
    schema: warehouse.schema,
    // as `runs` shows it; a run that could not be closed has no end there
    durationMs: durationMs ?? Math.max(0, Date.now() - run.startedAt.getTime()),
  }
  logEnd(reading.log, result)
  return result
}

/** A failure during a run is no usage error: exit code 2 means that nothing was changed. */
function failureOf(error: unknown, { signal }: Context): CliError {
  const failure = toFailure(error, toCliError, signal)
  if (failure.exitCode !== EXIT.usage) return failure
  return new CliError(failure.message, { code: failure.code, cause: failure.cause })
}

async function finish(
  run: Run,
  { requests, retries, bytes }: RequestStats,
  { status }: Outcome,
  { failure, tally, accepted }: { failure: CliError | undefined; tally: Tally; accepted: readonly AcceptedScope[] },
): Promise<number> {
  const error = failure?.message
  const { tables, losses, durationMs } = await run.finish({ status, requests, retries, bytes, error, accepted })
  tally.addTables(tables)
  tally.losses += losses
  return durationMs
}

async function readFound(
  { signal, settings }: Context,
  reading: SnapshotReading,
  distribution: Distribution | null,
  { projects, listed, notFound }: Found & { readonly projects: readonly ProjectToRead[] },
): Promise<void> {
  const { client, options, display, tally, ids } = reading
  display.expect(projects.length, streamsOfProjects(reading).length)
  await readProjects(client, reading.refresh.ordered(projects), {
    ...engineOptions(reading, requireService(settings).baseUrl, listed),
    mayFollowUp: (pid, stream) => tally.mayFollowUp(pid, stream),
    projectsAtOnce: options.projectsAtOnce,
    ...(distribution && { readRound: (...of) => distribution.readRound(reading, { listed, notFound }, ...of) }),
    ids,
    signal,
  })
  if (options.streams.has('projects')) {
    await reading.run.surviving(() => markAbsent(reading, new Set(listed), { projects, notFound }), signal)
  }
}

function sumOf(a: Readonly<RequestStats>, b: Readonly<RequestStats> = newStats()): RequestStats {
  return { requests: a.requests + b.requests, retries: a.retries + b.retries, bytes: a.bytes + b.bytes }
}
