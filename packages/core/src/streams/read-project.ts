import {
  ACCOUNT_FAILED,
  type ScopeResult,
  type ScopeSink,
  STREAMS,
  type StreamName,
} from '@collab-etl/contract/streams'
import { tryTaskComments } from '../capabilities/try-list.ts'
import { FirstRecords } from '../capabilities/try-records.ts'
import type { Client } from '../client.ts'
import { isNotAllowed } from '../errors/api-error.ts'
import { isNotFound } from '../errors/not-found.ts'
import { askedTwice } from './asked-twice.ts'
import {
  carriedList,
  carryIfAbsent,
  carryIfNoBudget,
  NEVER_OFFERED,
  tasksMissing,
  unofferedList,
} from './carried-lists.ts'
import { DueTasks } from './due-task-comments.ts'
import { type DiscoveredKind, IdQueues } from './id-queues.ts'
import { BusyTimes } from './ids-in-lists.ts'
import { LinkRule } from './link-rule.ts'
import { queueListed } from './listed-items.ts'
import { LISTS, type ListContext } from './lists.ts'
import { isPermitted, listProjects, type ProjectToRead, resultOfAll } from './project-list.ts'
import { readQueues } from './queue-reader.ts'
import { type KnownId, type ReadProjectOptions, type ResolvedOptions, resolveOptions } from './read-options.ts'
import { notAllowed, ScopeRun, type UnendedScope } from './run-scopes.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'
import { readTaskComments } from './task-comments.ts'
import { SeenTasks } from './task-parts.ts'

/** Posts and files of a project that are read after the lists of all projects. The first reading fills it, later ones read from it. */
export class LaterItems {
  found: IdQueues | null = null
  /** Why the project is skipped. */
  skipReason: ScopeResult['error']

  /** Takes over what another process left. @param empty makes the queues if there are none yet */
  restore({ found, skipReason }: LaterItemsData, empty: () => IdQueues): void {
    this.found ??= empty()
    this.found.restore(found)
    this.skipReason = skipReason
  }

  /** What is left, for another process; `null` if no reading has filled it. */
  toJSON(): LaterItemsData | null {
    return this.found && { found: this.found.toJSON(), skipReason: this.skipReason }
  }
}

export interface LaterItemsData {
  readonly found: string
  readonly skipReason: ScopeResult['error']
}

/**
 * Reads the streams of a project into a sink, and returns how each ended, in the order of `STREAMS`. Lists are read at the same time,
 * comments of tasks after the lists of tasks, posts and files after all of them, as their ids are discovered in the other streams. An
 * optional stream (`OPTIONAL_STREAMS`) that the service does not offer has no result, unless an earlier run read it: then it is carried.
 *
 * A stream that fails does not affect the others. One that the token may not read (403) is skipped as `NOT_ALLOWED`. A
 * project without permission, or one that is deleted meanwhile, is skipped with all its streams; the list's entry of a
 * project without permission is emitted.
 * @param left posts and files that an earlier reading in another process left to read; they are put into `later`
 * @throws on a refused token (`isAuthError`), an abort, a closed client, or an error of the sink; scopes that have not ended
 * by then are never ended
 */
export async function readProject(
  client: Client,
  project: ProjectToRead,
  options: ReadProjectOptions,
  sink: ScopeSink,
  later?: LaterItems,
  left?: LaterItemsData | null,
): Promise<ScopeResult[]> {
  const resolved = resolveOptions(options)
  const { pid } = project
  const empty = () =>
    new IdQueues(pid, knownIds(resolved), {
      patterns: resolved.linkPatterns,
      rule: resolved.linkRule ?? new LinkRule({ hasProject: (named) => named === pid }),
      follow: resolved.followDiscovered,
    })
  if (left) later?.restore(left, empty)
  const { recentSince, maxMissing } = resolved
  const isOfItems = (stream: StreamName) => stream === 'posts' || stream === 'files'
  const streams = resolved.streams.filter(
    (stream) => later === undefined || isOfItems(stream) === (later.found !== null),
  )
  const run = new ScopeRun(sink, resolved.signal)
  if (later?.skipReason !== undefined) run.skip(later.skipReason)
  if (!isPermitted(project)) run.skip(resolved.noPermission)
  const found = later?.found ?? empty()
  const busy = new BusyTimes()
  const seenTasks = new SeenTasks(resolved.storedTasks === undefined ? undefined : Infinity)
  const dueTasks = streams.includes('task_comments') ? newDueTasks(client, pid, resolved) : null
  const firstRecords = new FirstRecords()
  const { signal } = run
  const context = { client, pid, options: resolved, signal, found, busy, firstRecords, seenTasks, dueTasks }

  const readOwn = isPermitted(project) ? readDetail : emitListed
  const detail = streams.includes('projects') ? [readOwn(context, project, run)] : []
  // an account that no longer sees the project may be answered with empty lists
  if (client.accounts.areSeveral) await Promise.allSettled(detail)
  const readings = new Map<StreamName, Promise<UnendedScope>>()
  for (const stream of streams.filter(isListed)) {
    const isOffered = client.capabilities.offersStream(stream)
    const read = (reading: ScopeReading) => readUnlessCarried(context, stream, reading, readings.get('tasks'))
    const reading = isOffered ? run.read({ pid, stream }, read) : carryUnoffered(context, stream, run)
    if (reading !== null) readings.set(stream, reading)
  }
  busy.waitFor(Promise.allSettled([...readings].flatMap(([stream, ended]) => (stream === 'events' ? [] : [ended]))))
  const comments = dueTasks === null ? [] : [readCommentsOfTasks(context, dueTasks, readings, run)]
  const listings = later?.found == null && resolved.listsItems ? [queueAllListed(context, run)] : []
  const first = [...detail, ...readings.values(), ...comments].map(async (reading) => {
    // No scope ends before it is known whether the project exists.
    await Promise.all(detail)
    const unended = await reading
    return unended === null || unended.ending === NEVER_OFFERED ? [] : [await run.end(unended)]
  })
  await Promise.allSettled(listings)
  const results = (await settle(first, run)).flat()
  if (!run.skipped) await firstRecords.tryOut(client, pid, resolved.signal)
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

function newDueTasks(client: Client, pid: string, { dueTaskComments, signal }: ResolvedOptions): DueTasks {
  const tryOut = (tid: string) => tryTaskComments(client, { pid, tid }, signal)
  return new DueTasks(client.capabilities, tryOut, dueTaskComments)
}

/** The scope of a stream that the service does not offer; `null`: it never did. */
function carryUnoffered(
  { pid, options }: ListContext,
  stream: StreamName,
  run: ScopeRun,
): Promise<UnendedScope> | null {
  const since = options.lastReadings.get(stream)
  if (since === undefined) return null
  return run.read({ pid, stream }, async () => unofferedList(since))
}

/** Reads the comments of tasks that are due, once the lists of tasks have been read. */
async function readCommentsOfTasks(
  context: ListContext,
  dueTasks: DueTasks,
  readings: ReadonlyMap<StreamName, Promise<UnendedScope>>,
  run: ScopeRun,
): Promise<UnendedScope | null> {
  const { client, pid, found } = context
  const lists = await Promise.all([readings.get('tasks'), readings.get('archived_tasks')])
  if (!(await dueTasks.isOffered())) return carryUnoffered(context, 'task_comments', run)
  return run.read({ pid, stream: 'task_comments' }, async (reading) => {
    const ending = await readTaskComments(await dueTasks.due(), { client, pid, run, found }, reading)
    const isKnown = lists.every((list) => list === undefined || !isInDoubt(list))
    return isKnown || ending.status !== 'complete' ? ending : { ...ending, status: 'partial', error: TASKS_UNREAD }
  })
}

const TASKS_UNREAD = {
  code: 'TASKS_UNREAD',
  message: 'a list of tasks was not read completely: the comments of tasks that it lacks were not read',
}

function isInDoubt({ reading, ending }: UnendedScope): boolean {
  const { status } = reading.result(ending)
  return status === 'partial' || status === 'drifted' || status === 'failed'
}

/** Queues the posts and files that the service lists. An error that ends the run is thrown by the next `check`. */
async function queueAllListed({ client, pid, found, signal }: ListContext, run: ScopeRun): Promise<void> {
  if (run.skipped) return
  const of = (kind: DiscoveredKind) => {
    const queue = found.of(kind)
    return queue === undefined ? undefined : queueListed(kind, { client, pid, signal }, queue)
  }
  await Promise.all([of('post'), of('file')]).catch((error: unknown) => run.failure(error))
}

/**
 * Reads a list, unless it is to be carried. Archived tasks are not carried if stored tasks are missing from the list of tasks: only
 * the list of archived tasks shows whether they were archived or deleted.
 */
async function readUnlessCarried(
  context: ListContext,
  stream: keyof typeof LISTS,
  reading: ScopeReading,
  tasks: Promise<UnendedScope> | undefined,
): Promise<Ending> {
  const { options } = context
  const since = options.carriedLists.get(stream)
  const missing = async () => (stream === 'archived_tasks' ? await missingTasks(context, await tasks) : 0)
  if (since !== undefined && (await missing()) === 0) return carriedList(since)
  const ending = await LISTS[stream](context, reading)
    .catch(carryIfNoBudget(options, stream, reading))
    .catch(carryIfAbsent(options, stream, reading))
  const count = ending.status === 'carried' ? await missing() : 0
  return count === 0 ? ending : { ...ending, error: tasksMissing(count) }
}

/** Number of stored tasks that are missing from the list of tasks; 0 if it was not read completely, as that shows nothing. */
async function missingTasks({ options, seenTasks }: ListContext, tasks: UnendedScope | undefined): Promise<number> {
  if (tasks === undefined || tasks.reading.result(tasks.ending).status !== 'complete') return 0
  const stored = (await options.storedTasks?.()) ?? []
  return stored.filter((tid) => !seenTasks.ids.has(tid)).length
}

/**
 * Reads the project's detail (docs/dev/service-api.md#operation-12). If the service answers twice that the project does not exist and no longer
 * lists it, it was deleted meanwhile, and all its streams are skipped. If it still lists it, the scope is `failed`: one of the answers is wrong.
 */
function readDetail(context: ListContext, project: ProjectToRead, run: ScopeRun): Promise<UnendedScope> {
  const { client, pid, signal } = context
  const read = async (reading: ScopeReading): Promise<Ending> => {
    reading.pages = 1
    const { stats } = reading
    const { record: detail, losses } = await askedTwice(() => client.projects.get.read({ pid }, { signal, stats }))
    const record = { pid, listed: project.listed, detail }
    await reading.write({ kind: 'project', records: [record], losses: [...(project.losses ?? []), ...losses] })
    return { status: 'complete' }
  }
  const judge = async (error: unknown, reading: ScopeReading): Promise<Ending> => {
    if (isNotFound(error)) {
      const { errorCode: code } = error
      if (project.listed !== null && (await isStillListed(context, reading))) {
        const message = `${error.message} (answered twice), although the list of projects still contains it`
        return { status: 'failed', error: { code, message } }
      }
      run.skip({ code, message: 'the project was deleted meanwhile' })
    }
    if (!isNotAllowed(error) || project.listed === null) throw error
    const { listed, losses = [] } = project
    await reading.write({ kind: 'project', records: [{ pid, listed, detail: null }], losses })
    return { ...notAllowed(error), fromList: true }
  }
  return run.read({ pid, stream: 'projects' }, (reading) =>
    read(reading)
      .catch((error: unknown) => judge(error, reading))
      .catch(carryIfNoBudget(context.options, 'projects', reading)),
  )
}

/** Whether the list of projects, read again, contains the project. Also true if the list proves nothing, because it may be cut or is empty. */
async function isStillListed({ client, pid, signal }: ListContext, { stats }: ScopeReading): Promise<boolean> {
  const list = await listProjects(client, { signal, stats })
  const { status, error } = resultOfAll(list)
  // accounts that failed before were not needed for the answer that it does not exist
  const areKnown = [...list.failed.keys()].every((name) => client.accounts.failures.has(name))
  const isInDoubt = status !== 'complete' && !(error?.code === ACCOUNT_FAILED && areKnown)
  return isInDoubt || list.projects.some((listed) => listed.pid === pid)
}

/** Emits the list's entry of a project that cannot be read. */
async function emitListed(context: ListContext, project: ProjectToRead, run: ScopeRun): Promise<UnendedScope> {
  const { pid, listed, losses = [] } = project
  const reading = run.open({ pid, stream: 'projects' })
  const error = context.options.noPermission
  const ending = await reading.write({ kind: 'project', records: [{ pid, listed, detail: null }], losses }).then(
    (): Ending => ({ status: 'skipped', fromList: true, error }),
    (cause: unknown) => run.failure(cause),
  )
  return { reading, ending }
}

/** Waits for all to end before it throws the error that ended them. */
async function settle<T>(promises: readonly Promise<T>[], run: ScopeRun): Promise<T[]> {
  await Promise.allSettled(promises)
  run.check()
  return Promise.all(promises)
}

function knownIds(options: ResolvedOptions): Map<DiscoveredKind, readonly KnownId[]> {
  const given = new Map<DiscoveredKind, readonly KnownId[]>()
  if (options.streams.includes('posts')) given.set('post', options.knownPosts)
  if (options.streams.includes('files')) given.set('file', options.knownFiles)
  return given
}

function isListed(stream: StreamName): stream is keyof typeof LISTS {
  return stream in LISTS
}
