import { type Context, formatNumber } from '@collab-etl/cli'
import {
  ACCESS_LOST,
  ACCOUNT_FAILED,
  NOT_ALLOWED,
  type Reason,
  type ScopeResult,
  type StreamName,
} from '@collab-etl/contract/streams'
import {
  type Client,
  type DiscoveredIds,
  isAccountError,
  isNotFound,
  isPermitted,
  type ProjectList,
  type ProjectReading,
  type ProjectSink,
  type ReadProjectOptions,
  readPersonalWebhooks,
  readTeams,
} from '@collab-etl/core'
import type { DeletedProject, ProjectStage, PublishedScope, PublishResult, Run, Warehouse } from '@collab-etl/warehouse'
import type { Display } from '../reading/display.ts'
import { stagedSink } from '../reading/staged-sink.ts'
import { hasStored, knownThings, storedEventsOf } from '../reading/stored.ts'
import { noteRead, type Readers } from './accounts.ts'
import type { SnapshotOptions } from './options.ts'
import type { Refresh } from './refresh.ts'
import { type Resumable, watchedPages } from './resume.ts'
import { RESUMED, type Tally, unreadScope } from './tally.ts'

const LOST = {
  code: ACCESS_LOST,
  message: 'the token no longer has access to this project (permission 0): its content is as an earlier run read it',
}

/** A text may contain thousands of words that look like links: at most this many per project and run may be not found. */
const MAX_MISSING = 100

/** The parts with which a run reads projects, and the places of its results. */
export interface SnapshotReading {
  readonly client: Client
  readonly warehouse: Warehouse
  readonly run: Run
  readonly options: SnapshotOptions
  readonly refresh: Refresh
  /** Who reads; `null`: the list of projects could not be read, or another process began the run. */
  readonly readers: Readers | null
  readonly resumed: Resumable | null
  /** Projects whose archived tasks were read on from a checkpoint of the resumed run, and its page. */
  readonly resumedWalks: Map<string, number>
  readonly log: Context['log']
  readonly tally: Tally
  readonly ids: DiscoveredIds
  readonly display: Display
  /** Projects without permission that an earlier run could read. */
  readonly lost: Set<string>
  /** Projects that were read although they are missing from the list. */
  readonly unlisted: string[]
  /** Projects that are no longer in the service, and were marked deleted. */
  readonly deleted: DeletedProject[]
  readonly events: EventsRead
}

/** What is known of events outside the range that is read. */
interface EventsRead {
  /** The range; `null`: no events were read yet. */
  range: { readonly from: Date; readonly to: Date } | null
  /** Stored events of the range that were moved out of it. */
  moved: number
}

function readOptions({ streams, links, ...options }: SnapshotOptions): ReadProjectOptions {
  const { eventsFrom, eventsTo, archivedPageSize } = options
  return { streams, eventsFrom, eventsTo, archivedPageSize, linkPatterns: links, maxMissing: MAX_MISSING }
}

/** Options of `readProjects` and `readPlanned` with which any process reads and publishes the projects of a run. */
export function engineOptions(reading: SnapshotReading, baseUrl: string, listed: readonly string[]) {
  const { options } = reading
  return {
    read: readOptions(options),
    links: { baseUrl, serviceHosts: options.serviceHosts, pids: listed },
    prepare: (project: ProjectReading) => prepareReading(reading, project),
    openSink: (project: ProjectReading) => openStage(reading, project),
    readsAgain: (error: unknown, signal: AbortSignal) => survives(reading, error, signal),
  }
}

async function survives({ run, log }: SnapshotReading, error: unknown, signal: AbortSignal): Promise<boolean> {
  if (!(await run.survives(error, signal))) return false
  log.warn({ error: String(error) }, 'the database is back: what was lost with its sessions is read again')
  return true
}

/** Options of one reading; `null` for a project that is not to be read, whose scopes are published here. */
async function prepareReading(
  reading: SnapshotReading,
  { project, isFollowUp, signal }: ProjectReading,
): Promise<ReadProjectOptions | null> {
  const { client, warehouse, run, options, resumed, resumedWalks, log } = reading
  const { pid } = project
  if (isFollowUp)
    return { ...(await knownThings(warehouse, pid, namedPosts(options, pid))), ...reading.refresh.recentSince(pid) }
  if (resumed?.published.has(pid)) {
    await addUnrequested(reading, pid)
    await publishResumed(reading, pid, resumed)
    return null
  }
  // Without --project, unlisted projects were requested before.
  const isUnlisted = options.projects !== null && project.listed === null
  if (isUnlisted || (isPermitted(project) && client.accounts.unreadable(pid) !== undefined)) {
    const error = await errorOf(client, pid, signal)
    if (isAccountError(error)) {
      await publishUnread(reading, pid, carriedScopes(reading, pid, error))
      return null
    }
    if (isUnlisted && isNotFound(error)) {
      const notVisible = { code: 'NOT_VISIBLE', message: `the token sees no project ${pid}` }
      await publishUnread(reading, pid, [unreadScope({ pid, stream: 'projects' }, 'failed', notVisible)])
      return null
    }
  }
  const named = namedPosts(options, pid)
  const known = await reading.refresh.optionsOf(pid, await knownThings(warehouse, pid, named), named)
  const archivedPages = watchedPages(run.archivedPages(pid), (page) => {
    resumedWalks.set(pid, page)
    log.info({ pid, page }, `project ${pid}: reading archived tasks resumes at page ${page}`)
  })
  const noPermission = reading.lost.has(pid) ? LOST : undefined
  const hasWebhooks = () => hasStored(warehouse, 'webhooks', pid)
  return { ...known, archivedPages, noPermission, storedEvents: storedEventsOf(warehouse, pid), hasWebhooks }
}

/**
 * Adds the posts and files of a project that other projects named after the resumed run had published it, and that no run has requested
 * since: they are followed up.
 */
async function addUnrequested({ warehouse, ids, options }: SnapshotReading, pid: string): Promise<void> {
  for (const kind of ['post', 'file'] as const) {
    if (!options.streams.has(`${kind}s`)) continue
    const known = await warehouse.log.knownIds(kind, pid)
    const unrequested = known.filter(({ isStored, isUnread, isWaiting }) => !isStored && !isUnread && !isWaiting)
    ids.addNamed(kind, pid, unrequested)
  }
}

/** The streams of the run that a project can have. */
export function streamsOfProjects({ client, options }: Pick<SnapshotReading, 'client' | 'options'>): StreamName[] {
  return [...options.streams].filter((stream) => stream !== 'teams' && client.capabilities.offersStream(stream))
}

/** Posts of a project that the user names; they are always requested. */
function namedPosts({ namedPosts }: SnapshotOptions, pid: string): ReadonlySet<string> {
  return new Set(namedPosts.filter((named) => named.pid === pid).map(({ id }) => id))
}

/**
 * The list's own scope, and what belongs to no project.
 * @param notFound projects that the list lacks, and of which the service answered that they do not exist
 */
export async function readUnowned(
  reading: SnapshotReading,
  { result, losses, projects }: Pick<ProjectList, 'result' | 'losses' | 'projects'>,
  notFound: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const { client, options, refresh } = reading
  await publish(reading, null, async (stage) => {
    if (losses.length > 0) await stage.write(result.scope, { kind: 'project', records: [], losses })
    await stage.end(result)
    if (options.projects !== null) return
    if (options.streams.has('webhooks'))
      await readPersonalWebhooks(client, stage, { ...refresh.listBudget(null), signal })
    if (options.streams.has('teams')) {
      const lastReading = refresh.listBudget(null).lastReadings?.get('teams')
      const listed = new Set(projects.map(({ pid }) => pid))
      await readTeams(client, stage, { listed, notFound, lastReading, signal })
      // before the teams are stored: if the account is refused next time, the run knows that it had teams, and keeps them
      await noteRead(reading.run, reading)
    }
  })
}

/** Stages one reading of a project and publishes it in one transaction; if it is broken off, the project stays as it was. */
function openStage(reading: SnapshotReading, { project, isFollowUp }: ProjectReading): Promise<ProjectSink> {
  const { run, options, display, tally } = reading
  const { pid } = project
  return stagedSink(display, project, {
    open: () => run.stage(pid),
    doing: 'storing',
    use: async (stage, results) => {
      noteResults(reading, pid, results)
      const published = await stage.publish(options.limits)
      tally.addPublished(published)
      logPublished(reading, pid, published, isFollowUp)
    },
  })
}

/** At `info`, each project has one line, so that of a follow-up is at `debug`. */
function logPublished(
  { log }: SnapshotReading,
  pid: string,
  { scopes, tables, losses, unread }: PublishResult,
  isFollowUp: boolean,
): void {
  const sum = (key: 'read' | 'inserted' | 'updated' | 'deleted') =>
    Object.values(tables).reduce((total, counts) => total + counts[key], 0)
  const rows = { read: sum('read'), inserted: sum('inserted'), updated: sum('updated'), deleted: sum('deleted') }
  const line = { pid, rows, losses, unread_items: unread.length, not_complete: notComplete(scopes) }
  if (isFollowUp) log.debug(line, `project ${pid}: posts and files that other projects name stored`)
  else log.info(line, `project ${pid} stored`)
}

function notComplete(scopes: readonly (ScopeResult | PublishedScope)[]): string[] {
  return scopes
    .filter(({ status }) => status !== 'complete' && status !== 'carried')
    .map(({ scope, status }) => `${scope.stream} ${status}`)
}

function noteResults({ client, events, log }: SnapshotReading, pid: string, results: readonly ScopeResult[]): void {
  for (const { scope, discovered, range, beyond = [], error } of results) {
    events.range ??= range ?? null
    events.moved += beyond.length
    if (discovered === undefined || discovered.left <= 0 || error?.code === 'NOT_REQUESTED') continue
    if (client.budget.isUsedUp) continue
    const { left, leftIn } = discovered
    const ids = formatNumber(left, scope.stream === 'files' ? 'file id' : 'post id')
    const message = `project ${pid}: ${ids} found in texts (${leftIn.join(', ')}) left for the next run, because 100 others do not exist; use --post to read posts now`
    log.warn({ pid, left, in: leftIn }, message)
  }
}

/** Publishes what `read` writes in one transaction; if `read` fails, nothing of it is stored. */
async function publish(
  reading: SnapshotReading,
  pid: string | null,
  read: (stage: ProjectStage) => Promise<unknown>,
): Promise<void> {
  const published = await reading.run.surviving(async () => {
    const stage = await reading.run.stage(pid)
    try {
      await read(stage)
    } catch (error) {
      await stage.discard().catch(() => {}) // the first error is the one to report
      throw error
    }
    return await stage.publish(reading.options.limits)
  })
  reading.tally.addPublished(published)
}

/** Publishes scopes of a project that were not read, all for the same reason. */
export async function publishUnread(
  reading: SnapshotReading,
  pid: string,
  scopes: readonly ScopeResult[],
): Promise<void> {
  await publish(reading, pid, async (stage) => {
    for (const scope of scopes) await stage.end(scope)
  })
  const reason = scopes[0]?.error?.message
  reading.log.info({ pid, not_complete: notComplete(scopes) }, `project ${pid} not read${reason ? `: ${reason}` : ''}`)
}

function publishResumed(reading: SnapshotReading, pid: string, { runId, notAllowed }: Resumable): Promise<void> {
  const scopes = streamsOfProjects(reading).map((stream) => {
    const error = notAllowed.get(pid)?.includes(stream)
      ? {
          code: NOT_ALLOWED,
          message: `the token may not read it (HTTP 403): found by run ${runId}, which this run resumes`,
        }
      : { code: RESUMED, message: `published by run ${runId}, which this run resumes` }
    return unreadScope({ pid, stream }, 'skipped', error)
  })
  return publishUnread(reading, pid, scopes)
}

/** Scopes of a project that only failed accounts might have read: all rows are kept, as no answer shows that it has changed. */
export function carriedScopes(
  reading: SnapshotReading,
  pid: string,
  { message }: Pick<Reason, 'message'>,
): ScopeResult[] {
  const streams = new Set<StreamName>(['projects', ...streamsOfProjects(reading)])
  return [...streams].map((stream) => unreadScope({ pid, stream }, 'carried', { code: ACCOUNT_FAILED, message }))
}

/**
 * Requests a project that is not in the list, or whose accounts have all failed, with any account.
 * @returns the error; `undefined`: an account can read it, for example because it is public
 */
export async function errorOf(client: Client, pid: string, signal: AbortSignal): Promise<unknown> {
  try {
    await client.projects.get({ pid }, { signal })
    return undefined
  } catch (error) {
    return error
  }
}
