import { isRead, type ScopeResult, type ScopeSink, type StreamName } from '@collab-etl/contract/streams'
import pLimit from 'p-limit'
import type { Client } from '../client.ts'
import type { DiscoveredKind } from '../streams/id-queues.ts'
import { LinkRule, type LinkRuleOptions } from '../streams/link-rule.ts'
import type { KnownId, ReadProjectOptions } from '../streams/read-options.ts'
import { type ProjectToRead, readProject } from '../streams/read-project.ts'
import { DiscoveredIds } from './discovered-ids.ts'

/** Receives one reading of one project. */
export interface ProjectSink extends ScopeSink {
  /**
   * Called when all scopes of the reading have ended. An error thrown here, like any of a sink, ends the reading of all
   * projects; `discard` is not called after it.
   */
  finish?(results: readonly ScopeResult[]): Promise<void>
  /** Called instead of `finish` when the reading was broken off. An error thrown here is ignored in favour of the first one. */
  discard?(): Promise<void>
}

/** One reading of one project. */
export interface ProjectReading {
  readonly project: ProjectToRead
  /** Reads only posts and files that another project named after this one had been read. */
  readonly isFollowUp: boolean
  /** Aborted when the reading of another project failed. */
  readonly signal: AbortSignal
}

/** Options of `readProjects`. */
export interface ReadProjectsOptions {
  /** Opens the sink of one reading. Called again for a project that is followed up. */
  readonly openSink: (reading: ProjectReading) => ProjectSink | Promise<ProjectSink>
  /** Options of all readings. With `followDiscovered: false` nothing is followed up either. */
  readonly read?: Omit<ReadProjectOptions, 'signal' | 'linkRule'> | undefined
  /**
   * Called before each reading: options of this one, in addition to `read`; `null` skips it. The known ids that it returns
   * for a follow-up are replaced by those to follow up.
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
  readonly signal?: AbortSignal | undefined
}

/** Stream of each kind of records that the service does not list. */
const STREAM_OF = { post: 'posts', file: 'files' } as const satisfies Record<DiscoveredKind, StreamName>

/**
 * Reads a set of projects, several at once, each into a sink of its own. Posts and files that a project names in another
 * one, which had been read before, are read in follow-up rounds, until no project names an unread one.
 *
 * The first failure that ends a reading (see `readProject`) aborts the others, and is thrown when all have ended.
 * @example
 * const { projects } = await listProjects(client)
 * await readProjects(client, projects, { openSink: ({ project }) => sinkFor(project.pid) })
 */
export async function readProjects(
  client: Client,
  projects: readonly ProjectToRead[],
  options: ReadProjectsOptions,
): Promise<void> {
  const { read = {}, links = {}, ids = new DiscoveredIds(), projectsAtOnce = 4, signal } = options
  const parallel = { projectsAtOnce, signal }
  const pids = new Set([...(links.pids ?? []), ...projects.map(({ pid }) => pid)])
  const linkRule = new LinkRule({ ...links, hasProject: (pid) => pids.has(pid) })
  const stored = new Set<string>()
  const {
    mayFollowUp = (pid, stream) => stored.has(`${stream} ${pid}`),
    openSink,
    prepare = async (): Promise<ReadProjectOptions> => ({}),
  } = options

  const readOne = async (reading: ProjectReading, followUp: ReadProjectOptions = {}) => {
    const { project, signal } = reading
    const own = await prepare(reading)
    if (own === null) return
    if (!reading.isFollowUp) {
      ids.addCarried('post', project.pid, own.knownPosts ?? [])
      ids.addCarried('file', project.pid, own.knownFiles ?? [])
    }
    const sink = await openSink(reading)
    const write: ScopeSink['write'] = async (scope, batch) => {
      await sink.write(scope, batch)
      ids.addBatch(project.pid, batch)
    }
    const observed: ScopeSink = {
      storedBytes: async (scope) => (await sink.storedBytes?.(scope)) ?? null,
      write,
      restart: (scope) => sink.restart(scope),
      end: (result) => sink.end(result),
    }
    const what = { ...read, ...own, ...followUp, linkRule, signal }
    const results = await readProject(client, project, what, observed).catch(async (error: unknown) => {
      await sink.discard?.().catch(() => {}) // the first error is the one to report
      throw error
    })
    for (const result of results) {
      ids.addResult(result)
      const scope = `${result.scope.stream} ${project.pid}`
      if (isRead(result) || result.status === 'carried') stored.add(scope)
      else stored.delete(scope)
    }
    await sink.finish?.(results)
  }

  await inParallel(projects, parallel, (project, signal) => readOne({ project, isFollowUp: false, signal }))
  if (read.followDiscovered === false) return
  const streams = new Set((['posts', 'files'] as const).filter((stream) => read.streams?.has(stream) ?? true))
  const take = (kind: DiscoveredKind, pid: string): KnownId[] => {
    const stream = STREAM_OF[kind]
    return streams.has(stream) && mayFollowUp(pid, stream) ? ids.takeForFollowUp(kind, pid) : []
  }
  const nextRound = () =>
    projects
      .map((project) => ({ project, knownPosts: take('post', project.pid), knownFiles: take('file', project.pid) }))
      .filter(({ knownPosts, knownFiles }) => knownPosts.length + knownFiles.length > 0)
  for (let round = nextRound(); round.length > 0; round = nextRound()) {
    await inParallel(round, parallel, ({ project, ...known }, signal) =>
      readOne({ project, isFollowUp: true, signal }, { ...known, streams }),
    )
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
