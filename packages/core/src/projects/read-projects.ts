import {
  isRead,
  type Scope,
  type ScopeResult,
  type ScopeSink,
  type StreamBatch,
  type StreamName,
} from '@collab-etl/contract/streams'
import pLimit from 'p-limit'
import type { Client } from '../client.ts'
import { WorkSpan } from '../http/work-span.ts'
import { type DiscoveredKind, IdQueues } from '../streams/id-queues.ts'
import { LinkRule, type LinkRuleOptions } from '../streams/link-rule.ts'
import type { ProjectToRead } from '../streams/project-list.ts'
import type { KnownId, ReadProjectOptions } from '../streams/read-options.ts'
import { LaterItems, type LaterItemsData, readProject } from '../streams/read-project.ts'
import { DiscoveredIds } from './discovered-ids.ts'

/** Reported after each call of a sink. */
export type ReadingEvent =
  | { readonly type: 'batch'; readonly scope: Scope; readonly batch: StreamBatch }
  | { readonly type: 'restart'; readonly scope: Scope }
  | { readonly type: 'end'; readonly result: ScopeResult }

/** Receives one reading of one project. */
export interface ProjectSink {
  readonly sink: ScopeSink
  /** Called after each call of the sink: the progress of the reading. */
  readonly onEvent?: ((event: ReadingEvent) => void) | undefined
  /**
   * Called when all scopes of the reading have ended. An error thrown here, like any of a sink, ends the reading of all
   * projects; `discard` is not called after it.
   */
  finish?(results: readonly ScopeResult[]): Promise<void>
  /** Called instead of `finish` when the reading was broken off. An error thrown here is ignored in favour of the first one. */
  discard?(): Promise<void>
}

export interface ProjectReading {
  readonly project: ProjectToRead
  /** Reads posts and files only, after the lists: those that another project named, or all if the client has a request budget. */
  readonly isFollowUp: boolean
  /** Aborted when the reading of another project failed. */
  readonly signal: AbortSignal
}

export interface ReadProjectsOptions {
  /** Opens the sink of one reading. Called again for a project that is followed up. */
  readonly openSink: (reading: ProjectReading) => ProjectSink | Promise<ProjectSink>
  /** Options of all readings. With `followDiscovered: false` nothing is followed up either. */
  readonly read?: Omit<ReadProjectOptions, 'signal' | 'linkRule'> | undefined
  /**
   * Called before each reading: options of this one, in addition to `read`; `null` skips it. The known ids that it returns
   * for a follow-up are replaced by those to follow up, except those that wait.
   */
  readonly prepare?: ((reading: ProjectReading) => Promise<ReadProjectOptions | null>) | undefined
  /**
   * Which links in texts refer to records: those that name a project that is read or one of `pids`, relative ones, and those
   * on a host of the service.
   */
  readonly links?: (Omit<LinkRuleOptions, 'hasProject'> & { readonly pids?: Iterable<string> | undefined }) | undefined
  /** Collects the ids of posts and files, and may be read at any time. Default: a new one. */
  readonly ids?: DiscoveredIds | undefined
  /**
   * Whether a project's posts or files may be followed up. Default: if the scope was read. A scope that failed as a whole is
   * left for another run.
   */
  readonly mayFollowUp?: ((pid: string, stream: 'posts' | 'files') => boolean) | undefined
  /** Projects read at the same time, at most. Default 4: enough to keep the client's requests busy. */
  readonly projectsAtOnce?: number | undefined
  /**
   * Does the readings of a round elsewhere, each with `readPlanned`, and adds the ids that they discover to `ids`. Returns, by project,
   * the posts and files that each left to read. Default: they are done here, `projectsAtOnce` at a time. A request budget must be one that
   * all processes share.
   */
  readonly readRound?:
    | ((readings: readonly PlannedReading[], signal: AbortSignal) => Promise<ReadonlyMap<string, LaterItemsData>>)
    | undefined
  /** Called with each error that ends a reading: whether the reading is done again, with a new sink. */
  readonly readsAgain?: ((error: unknown, signal: AbortSignal) => Promise<boolean>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A planned reading: of a project, or (`isFollowUp`) of its posts and files that other projects named. */
export interface PlannedReading {
  readonly project: ProjectToRead
  readonly isFollowUp: boolean
  readonly knownPosts?: readonly KnownId[] | undefined
  readonly knownFiles?: readonly KnownId[] | undefined
  /** With a request budget: the posts and files that are left to read. `null`: the lists are read first, and these are left for later. */
  readonly later?: LaterItemsData | null | undefined
}

type ReadOne = (reading: ProjectReading, followUp?: ReadProjectOptions, left?: LaterItemsData | null) => Promise<void>

const KINDS = ['post', 'file'] as const satisfies readonly DiscoveredKind[]

/** Stream of each kind of records that the service does not list. */
const STREAM_OF = { post: 'posts', file: 'files' } as const satisfies Record<DiscoveredKind, StreamName>

/**
 * Reads a set of projects, several at once, each into a sink of its own. Posts and files that a project names in another
 * one, which had been read before, are read in follow-up rounds, until no project names an unread one.
 *
 * If the client has a request budget, the lists of all projects are read first. Posts and files follow in rounds: of all projects, those
 * that were never read or read longest ago are in the first round, which is not larger than the budget. Within a round they are read by project.
 *
 * The first failure that ends a reading (see `readProject`) aborts the others, and is thrown when all have ended.
 * @example
 * const { projects } = await listProjects(client)
 * await readProjects(client, projects, { openSink: ({ project }) => ({ sink: sinkFor(project.pid) }) })
 */
export async function readProjects(
  client: Client,
  projects: readonly ProjectToRead[],
  options: ReadProjectsOptions,
): Promise<void> {
  const { read = {}, ids = new DiscoveredIds(), projectsAtOnce = 4, signal = NEVER } = options
  const parallel = { projectsAtOnce, signal }
  const stored = new Set<string>()
  const later = new Map<string, LaterItems>()
  const { mayFollowUp = (pid, stream) => stored.has(`${stream} ${pid}`) } = options
  const readOne = projectReader(client, projects, { ...options, ids }, { stored, later })
  const readHere = (readings: readonly PlannedReading[]) =>
    inParallel(readings, parallel, (planned, signal) => readOne({ ...planned, signal }, followUpOf(planned, read)))
  const { readRound: readElsewhere } = options
  const readRound = async (readings: readonly PlannedReading[]): Promise<void> => {
    if (readElsewhere === undefined) return await readHere(readings)
    const tasks = readings.map((planned) => ({ ...planned, later: later.get(planned.project.pid)?.toJSON() }))
    for (const [pid, left] of await readElsewhere(tasks, signal)) {
      later.get(pid)?.restore(left, () => new IdQueues(pid, new Map(), COORDINATED))
    }
  }

  const streams = streamsOfItems(read)
  const isBudgeted = client.budget.isLimited && streams.size > 0
  if (isBudgeted) for (const { pid } of projects) later.set(pid, new LaterItems())
  await readRound(projects.map((project) => ({ project, isFollowUp: false })))
  const take = (kind: DiscoveredKind, pid: string): KnownId[] => {
    const stream = STREAM_OF[kind]
    const mayTake = read.followDiscovered !== false && streams.has(stream) && mayFollowUp(pid, stream)
    return mayTake ? ids.takeForFollowUp(kind, pid) : []
  }
  const followUps = () =>
    projects
      .map((project) => ({ project, knownPosts: take('post', project.pid), knownFiles: take('file', project.pid) }))
      .filter(({ knownPosts, knownFiles }) => knownPosts.length + knownFiles.length > 0)
  if (isBudgeted) {
    const readings = projects.flatMap((project) => {
      const found = later.get(project.pid)?.found
      if (found) return [{ project, found }]
      later.delete(project.pid) // it was skipped: only items that other projects name are read
      return []
    })
    const rounds = new Rounds(client, readings)
    for (;;) {
      await client.budget.refresh()
      const named = followUps()
      const own = rounds.next(named.filter(({ project }) => later.has(project.pid)))
      const others = named.filter(({ project }) => !later.has(project.pid))
      const round = [...own.map(({ project }) => ({ project })), ...others]
      if (round.length === 0) return
      await readRound(round.map((reading) => ({ ...reading, isFollowUp: true })))
    }
  }
  for (let round = followUps(); round.length > 0; round = followUps()) {
    await readRound(round.map((followUp) => ({ ...followUp, isFollowUp: true })))
  }
}

/**
 * Does one reading of a round that `readProjects` passed to its `readRound`, in this process or another.
 * @param options those of `readProjects`; `links.pids` must hold all projects of the run
 */
export async function readPlanned(
  client: Client,
  planned: PlannedReading,
  options: Omit<ReadProjectsOptions, 'readRound' | 'mayFollowUp' | 'projectsAtOnce'> & {
    /** Receives what is left to read. Must be given if `planned.later` is. */
    readonly later?: LaterItems | undefined
  },
): Promise<void> {
  const { ids = new DiscoveredIds(), read = {}, signal = NEVER } = options
  const later = new Map(options.later && [[planned.project.pid, options.later]])
  const readOne = projectReader(client, [planned.project], { ...options, ids }, { stored: new Set(), later })
  await readOne({ ...planned, signal }, followUpOf(planned, read), planned.later)
}

/** For queues that are read elsewhere: no text is searched for links here. */
const COORDINATED = { patterns: [], rule: new LinkRule({ hasProject: () => false }), follow: true }

function followUpOf(
  { isFollowUp, knownPosts, knownFiles }: PlannedReading,
  read: ReadProjectOptions,
): ReadProjectOptions {
  return isFollowUp ? { knownPosts, knownFiles, streams: streamsOfItems(read), listsItems: false } : {}
}

function streamsOfItems({ streams }: ReadProjectOptions): ReadonlySet<'posts' | 'files'> {
  return new Set((['posts', 'files'] as const).filter((stream) => streams?.has(stream) ?? true))
}

/** Returns a function that does one reading, and records in `stored` which scopes were read. */
function projectReader(
  client: Client,
  projects: readonly ProjectToRead[],
  options: ReadProjectsOptions & { readonly ids: DiscoveredIds },
  { stored, later }: { readonly stored: Set<string>; readonly later: ReadonlyMap<string, LaterItems> },
): ReadOne {
  const { read = {}, links = {}, ids, openSink, prepare = async (): Promise<ReadProjectOptions> => ({}) } = options
  const pids = new Set([...(links.pids ?? []), ...projects.map(({ pid }) => pid)])
  const linkRule = new LinkRule({ ...links, hasProject: (pid) => pids.has(pid) })
  const readOne: ReadOne = async (reading, followUp = {}, left = null) => {
    const { project, signal } = reading
    const own = await prepare(reading)
    if (own === null) return
    if (!reading.isFollowUp) {
      const carried = (known: readonly KnownId[] = []) => known.filter(({ carriedSince }) => carriedSince !== undefined)
      ids.addKnown('post', project.pid, carried(own.knownPosts))
      ids.addKnown('file', project.pid, carried(own.knownFiles))
    }
    const opened = await openSink(reading)
    const { sink, onEvent = () => {} } = opened
    const observed: ScopeSink = {
      knownRecords: async (scope) => (await sink.knownRecords?.(scope)) ?? null,
      write: async (scope, batch) => {
        await sink.write(scope, batch)
        ids.addBatch(project.pid, batch)
        onEvent({ type: 'batch', scope, batch })
      },
      restart: async (scope) => {
        await sink.restart(scope)
        onEvent({ type: 'restart', scope })
      },
      end: async (result) => {
        await sink.end(result)
        onEvent({ type: 'end', result })
      },
    }
    const what = {
      ...read,
      ...own,
      ...followUp,
      linkRule,
      signal,
      ...(reading.isFollowUp && {
        knownPosts: [...waitingOf(own.knownPosts), ...(followUp.knownPosts ?? [])],
        knownFiles: [...waitingOf(own.knownFiles), ...(followUp.knownFiles ?? [])],
      }),
    }
    const items = later.get(project.pid)
    const results = await readProject(client, project, what, observed, items, left).catch(async (error: unknown) => {
      await opened.discard?.().catch(() => {}) // the first error is the one to report
      throw error
    })
    // a worker sends what is known of ids when it finishes
    for (const result of results) ids.addResult(result)
    await opened.finish?.(results).catch((error: unknown) => {
      for (const result of results) ids.takeBack(result) // it may be read again
      throw error
    })
    for (const result of results) {
      const scope = `${result.scope.stream} ${project.pid}`
      if (isRead(result) || result.status === 'carried') stored.add(scope)
      else stored.delete(scope)
    }
  }
  const untilRead: ReadOne = async (reading, ...of) => {
    const items = later.get(reading.project.pid)
    // it takes its ids from these queues
    const queues = reading.isFollowUp && options.readsAgain !== undefined ? items?.toJSON() : null
    for (;;) {
      try {
        return await readOne(reading, ...of)
      } catch (error) {
        if (reading.signal.aborted || (await options.readsAgain?.(error, reading.signal)) !== true) throw error
        if (queues) items?.restore(queues, () => new IdQueues(reading.project.pid, new Map(), COORDINATED))
        else if (items !== undefined) Object.assign(items, new LaterItems())
      }
    }
  }
  return (reading, ...of) => projectSpan(reading).during(() => untilRead(reading, ...of))
}

/** Ids that were not found recently: a follow-up does not request them either. */
function waitingOf(known: readonly KnownId[] = []): KnownId[] {
  return known.filter(({ isWaiting, isUnread }) => isWaiting === true && isUnread !== true)
}

function projectSpan({ project: { pid }, isFollowUp }: ProjectReading): WorkSpan {
  return new WorkSpan('project', { 'collab.project.id': pid, 'collab.is_follow_up': isFollowUp })
}

/** A project whose lists were read, and the posts and files that are still to be read. */
interface LaterReading {
  readonly project: ProjectToRead
  readonly found: IdQueues
}

interface FollowUp {
  readonly project: ProjectToRead
  readonly knownPosts: readonly KnownId[]
  readonly knownFiles: readonly KnownId[]
}

/** Minimum number of items in a round that the budget allows, because each round publishes its projects. */
const LEAST_OF_ROUND = 64

/** Requests for an item: itself, and its comments. */
const REQUESTS_OF_ITEM = 2

/**
 * Divides the posts and files of all projects into rounds; those never read or read longest ago come first. A round takes about half of the
 * remaining request budget (an item costs two requests), because ids that it discovers were never read and come next.
 */
class Rounds {
  readonly #client: Client
  readonly #readings: readonly LaterReading[]
  readonly #visited = new Set<IdQueues>()
  #requests = -1
  #isOver = false

  constructor(client: Client, readings: readonly LaterReading[]) {
    this.#client = client
    this.#readings = readings
  }

  /** The projects to read next. Empty after the last round, which takes everything left, unless follow-ups were added. */
  next(followUps: readonly FollowUp[]): readonly LaterReading[] {
    const named = new Map(followUps.map((followUp) => [followUp.project.pid, followUp]))
    for (const { project, found } of this.#readings) {
      found.of('post')?.addKnown(named.get(project.pid)?.knownPosts ?? [])
      found.of('file')?.addKnown(named.get(project.pid)?.knownFiles ?? [])
    }
    if (this.#isOver) return this.#readings.filter(({ project }) => named.has(project.pid))
    const pending = this.#readings.flatMap(({ found }) =>
      KINDS.flatMap((kind) => (found.of(kind)?.pendingTimes() ?? []).map((time) => ({ time, kind, found }))),
    )
    const left = this.#client.budget.left
    const affordable = Math.max(1, Math.floor(left / REQUESTS_OF_ITEM))
    // within a round the items are read by project: more than the budget allows would not be those read longest ago
    const count = Math.max(Math.min(LEAST_OF_ROUND, affordable), Math.floor(affordable / 2))
    // without progress, the remaining ids cannot be read
    this.#isOver = pending.length <= count || left <= 0 || this.#client.budget.used === this.#requests
    this.#requests = this.#client.budget.used
    const chosen = this.#isOver ? pending : pending.toSorted((a, b) => a.time - b.time).slice(0, count)
    const counts = new Map<IdQueues, Record<DiscoveredKind, number>>()
    for (const { found, kind } of chosen) {
      const of = counts.get(found) ?? { post: 0, file: 0 }
      of[kind] += 1
      counts.set(found, of)
    }
    const round = this.#readings.filter(({ found }) => counts.has(found) || (this.#isOver && !this.#visited.has(found)))
    for (const { found } of round) {
      this.#visited.add(found)
      for (const kind of KINDS) found.of(kind)?.allow(this.#isOver ? Infinity : (counts.get(found)?.[kind] ?? 0))
    }
    return round
  }
}

/** Never aborted. */
const NEVER = new AbortController().signal

/**
 * Runs `work` for each item, at most `projectsAtOnce` at the same time. The first failure aborts the signal that the others
 * got, and is thrown once all of them have ended; items that were not begun are skipped.
 */
export async function inParallel<T>(
  items: readonly T[],
  { projectsAtOnce, signal: outer = NEVER }: { projectsAtOnce: number; signal?: AbortSignal | undefined },
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  const limit = pLimit(projectsAtOnce)
  let failure: { readonly error: unknown } | undefined
  const one = async (item: T) => {
    if (signal.aborted) return
    try {
      await work(item, signal)
    } catch (error) {
      failure ??= { error }
      stop.abort(error)
    }
  }
  await Promise.all(items.map((item) => limit(() => one(item))))
  if (failure) throw failure.error
  outer.throwIfAborted()
}
