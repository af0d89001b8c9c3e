import type { ProjectListItem, Received } from '@collab-etl/contract'
import { PROJECT_NOT_FOUND } from '@collab-etl/contract/errors'
import {
  type RecordLoss,
  type ScopeResult,
  type ScopeSink,
  STREAMS,
  type StreamName,
} from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { isApiError, isNotAllowed } from '../errors/api-error.ts'
import { isBudgetError } from '../errors/collab-error.ts'
import { type DiscoveredKind, IdQueues, type KnownIds } from './id-queues.ts'
import { LinkRule } from './link-rule.ts'
import { BusyTimes, LISTED_STREAMS, type ListedContext } from './listed-streams.ts'
import { readQueues } from './queue-reader.ts'
import { type ReadProjectOptions, type ResolvedOptions, resolveOptions } from './read-options.ts'
import { notAllowed, ScopeRun, type UnendedScope } from './run-scopes.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'
import { budgetUsedUp } from './unread-items.ts'

/** A project to read. */
export interface ProjectToRead {
  readonly pid: string
  /** Its entry in the list of projects; `null` if it is missing from the list. */
  readonly listed: Received<typeof ProjectListItem> | null
  /** Values of that entry that could not be kept exactly. */
  readonly losses?: readonly RecordLoss[] | undefined
}

/** Posts and files of a project that are read after the lists of all projects. The first reading fills it, later ones read from it. */
export class LaterItems {
  found: IdQueues | null = null
  /** Why the project is skipped. */
  skipReason: ScopeResult['error']
}

/**
 * Reads the streams of a project into a sink, and returns how each ended, in the order of `STREAMS`. Streams that the
 * service lists are read at the same time; posts and files after them, as their ids are discovered in the other streams.
 *
 * A stream that fails does not affect the others. One that the token may not read (403) is skipped as `NOT_ALLOWED`. A
 * project without permission, or one that is deleted meanwhile, is skipped with all its streams; the list's entry of a
 * project without permission is emitted.
 * @throws on a refused token (`isAuthError`), an abort, a closed client, or an error of the sink; scopes that have not ended
 * by then are never ended
 */
export async function readProject(
  client: Client,
  project: ProjectToRead,
  options: ReadProjectOptions,
  sink: ScopeSink,
  later?: LaterItems,
): Promise<ScopeResult[]> {
  const resolved = resolveOptions(options)
  const { pid } = project
  const { recentSince, maxMissing } = resolved
  const isOfItems = (stream: StreamName) => stream === 'posts' || stream === 'files'
  const streams = resolved.streams.filter(
    (stream) => later === undefined || isOfItems(stream) === (later.found !== null),
  )
  const run = new ScopeRun(sink, resolved.signal)
  if (later?.skipReason !== undefined) run.skip(later.skipReason)
  if (!isPermitted(project)) run.skip(resolved.noPermission)
  const found =
    later?.found ??
    new IdQueues(pid, knownIds(resolved), {
      patterns: resolved.linkPatterns,
      rule: resolved.linkRule ?? new LinkRule({ hasProject: (named) => named === pid }),
      follow: resolved.followDiscovered,
    })
  const busy = new BusyTimes()
  const context: ListedContext = { client, pid, options: resolved, signal: run.signal, found, busy }

  const readOwn = isPermitted(project) ? readDetail : emitListed
  const detail = streams.includes('projects') ? [readOwn(context, project, run)] : []
  const readings = streams.filter(isListed).map((stream) => {
    const since = resolved.carriedLists.get(stream)
    const read = (reading: ScopeReading): Promise<Ending> =>
      since === undefined
        ? LISTED_STREAMS[stream](context, reading).catch(carryIfNoBudget(context, stream))
        : Promise.resolve({ status: 'carried', carried: { items: 1, since } })
    return { stream, ended: run.read({ pid, stream }, read) }
  })
  busy.waitFor(Promise.allSettled(readings.flatMap(({ stream, ended }) => (stream === 'events' ? [] : [ended]))))
  const listed = readings.map(({ ended }) => ended)
  const first = [...detail, ...listed].map(async (reading) => {
    // No scope ends before it is known whether the project exists.
    await Promise.all(detail)
    return run.end(await reading)
  })
  const results = await settle(first, run)
  if (streams.includes('posts') || streams.includes('files')) {
    const unended = await readQueues(streams, { run, client, found, pid, maxMissing, recentSince })
    results.push(
      ...(await settle(
        unended.map((scope) => run.end(scope)),
        run,
      )),
    )
  }
  if (later !== undefined) Object.assign(later, { found, skipReason: run.skipReason })
  return results.toSorted((a, b) => STREAMS.indexOf(a.scope.stream) - STREAMS.indexOf(b.scope.stream))
}

/** The result of a list for which the request budget does not suffice: `carried` if its last reading is recent enough, else `failed`. */
function carryIfNoBudget({ options }: ListedContext, stream: StreamName): (error: unknown) => Ending {
  return (error) => {
    if (!isBudgetError(error)) throw error
    const [last, since] = [options.lastReadings.get(stream), options.recentSince.get(stream)]
    if (last === undefined || since === undefined || last < since)
      return { status: 'failed', error: budgetUsedUp(last) }
    return { status: 'carried', carried: { items: 1, since: last } }
  }
}

/** Reads the project's detail (docs/service-api.md#operation-12). If the project does not exist, all its streams are skipped. */
function readDetail(context: ListedContext, project: ProjectToRead, run: ScopeRun): Promise<UnendedScope> {
  const { client, pid, signal } = context
  const read = async (reading: ScopeReading): Promise<Ending> => {
    reading.pages = 1
    const { record: detail, losses } = await client.projects.get.read({ pid }, { signal, stats: reading.stats })
    const record = { pid, listed: project.listed, detail }
    await reading.write({ kind: 'project', records: [record], losses: [...(project.losses ?? []), ...losses] })
    return { status: 'complete' }
  }
  return run.read({ pid, stream: 'projects' }, (reading) =>
    read(reading).catch(async (error: unknown) => {
      if (isApiError(error, PROJECT_NOT_FOUND))
        run.skip({ code: error.errorCode, message: 'the project was deleted meanwhile' })
      if (isBudgetError(error)) return carryIfNoBudget(context, 'projects')(error)
      if (!isNotAllowed(error) || project.listed === null) throw error
      const { listed, losses = [] } = project
      await reading.write({ kind: 'project', records: [{ pid, listed, detail: null }], losses })
      return { ...notAllowed(error), fromList: true }
    }),
  )
}

/** Emits the list's entry of a project that cannot be read. */
async function emitListed(context: ListedContext, project: ProjectToRead, run: ScopeRun): Promise<UnendedScope> {
  const { pid, listed, losses = [] } = project
  const reading = run.open({ pid, stream: 'projects' })
  const error = context.options.noPermission
  const ending = await reading.write({ kind: 'project', records: [{ pid, listed, detail: null }], losses }).then(
    (): Ending => ({ status: 'skipped', fromList: true, error }),
    (cause: unknown) => run.failure(cause),
  )
  return { reading, ending }
}

/** Whether the caller may read a project according to the list: permission 0 means no. */
export function isPermitted({ listed }: ProjectToRead): boolean {
  return listed?.permission !== 0
}

/** Waits for all to end before it throws the error that ended them. */
async function settle<T>(promises: readonly Promise<T>[], run: ScopeRun): Promise<T[]> {
  await Promise.allSettled(promises)
  run.check()
  return Promise.all(promises)
}

function knownIds(options: ResolvedOptions): Map<DiscoveredKind, KnownIds> {
  const given = new Map<DiscoveredKind, KnownIds>()
  if (options.streams.includes('posts')) given.set('post', { ids: options.knownPosts, waiting: options.waitingPosts })
  if (options.streams.includes('files')) given.set('file', { ids: options.knownFiles, waiting: options.waitingFiles })
  return given
}

function isListed(stream: StreamName): stream is keyof typeof LISTED_STREAMS {
  return stream in LISTED_STREAMS
}
